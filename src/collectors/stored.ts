/** The schemas that the stored records of every kind share. The types of records are inferred from them. */
import { z } from 'zod';
import { neverPolled } from '../model/record.ts';

/** What a schema reads, as data that does not change. */
export type Immutable<T> = { readonly [Key in keyof T]: Immutable<T[Key]> };
export type Stored<Schema extends z.ZodType> = Immutable<z.infer<Schema>>;

export const text = z.string();
export const count = z.int().nonnegative();
/** The range of a JavaScript date. */
export const timeMs = z.number().nonnegative().max(8.64e15);
/** Refuses a zone with an empty name: it would be shown as the whole region, and so twice. */
const zone = text.min(1).nullable();
const labels = z.record(text, text);

/** The target of a record, and the labels of its resource, if it has one. */
export const target = z.object({
  account: text,
  region: text,
  operation: text,
  resource: labels.optional(),
});

/** Without the counters of polls: they begin at 0 with each process. */
const freshness = z
  .object({
    lastPoll: z.object({ atMs: timeMs, durationMs: z.number() }).nullable(),
    lastSuccessAtMs: timeMs.nullable(),
    failure: z
      .object({ code: text, message: text, requestId: text.nullable(), sinceMs: timeMs })
      .nullable(),
  })
  .transform((times) => ({ ...neverPolled, ...times }));

const change = target.extend({
  kind: text,
  atMs: timeMs,
  quotaType: text.nullable(),
  zone,
  from: z.union([z.number(), text]).nullable(),
  to: z.union([z.number(), text]).nullable(),
});

const appId = count.nullable();

/** One that cannot be read is left out: it must not cost the record its counters. */
const trend = z
  .object({
    stepMs: z.number().positive(),
    lastStep: z.int(),
    quotas: z.array(
      z.object({
        type: text,
        zone,
        labels: labels.optional(),
        use: z.array(z.number().nullable()),
      }),
    ),
  })
  .optional()
  .catch(undefined);

/** The fields of what every record counts. */
export const countedFields = { appId, recentChanges: z.array(change) };

/** What a record saw, with a snapshot of its kind. */
export const seenOf = <S extends z.ZodType>(snapshot: S) =>
  z.object({ freshness, snapshot: snapshot.nullable(), trend });

/** The fields of every snapshot besides `kind`. */
export const snapshotFields = { appId, missing: z.array(text) };

/** The fields that identify a quota, and its unit. */
const quotaName = { type: text, zone, unit: text, labels: labels.optional() };

const amount = z.number();
const limit = amount.nonnegative();

/** A quota of a snapshot. */
export const quota = z.object({
  ...quotaName,
  used: limit.nullable(),
  remaining: amount.nullable(),
  limit,
});

/** What is remembered of the quotas of a record. */
export const quotaHistory = z.object({
  ...quotaName,
  limit: limit.nullable(),
  raised: count,
  lowered: count,
  raisedAtMs: timeMs.nullable(),
  loweredAtMs: timeMs.nullable(),
  disappeared: count,
  isKnown: z.boolean(),
  absence: z
    .object({
      used: limit.nullable(),
      remaining: amount.nullable(),
      polls: count,
      disappearedAtMs: timeMs.nullable(),
    })
    .nullable(),
});
