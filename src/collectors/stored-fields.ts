/** The schemas that the stored records of every kind share. */
import { z } from 'zod';
import { neverPolled } from '../model/record.ts';

export const text = z.string();
export const count = z.int().nonnegative();
/** The range of a JavaScript date. */
export const timeMs = z.number().nonnegative().max(8.64e15);
/** Refuses a zone with an empty name: it would be shown as the whole region, and so twice. */
export const zone = text.min(1).nullable();

/** The target of a record, and the labels of its resource, if it has one. */
export const target = z.object({
  account: text,
  region: text,
  operation: text,
  resource: z.record(text, text).optional(),
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
    quotas: z.array(z.object({ type: text, zone, use: z.array(z.number().nullable()) })),
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

/** The fields of a limit besides those that identify its quota. Older records have no times. */
export const limitFields = {
  limit: z.number().nonnegative().nullable(),
  raised: count,
  lowered: count,
  raisedAtMs: timeMs.nullable().default(null),
  loweredAtMs: timeMs.nullable().default(null),
};

/** An inventory of rows with such names. */
export const inventoryFields = <T extends z.ZodType>(name: T) => ({
  known: z.array(name),
  unidentified: count,
});
