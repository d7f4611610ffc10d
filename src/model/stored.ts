/** The schemas that the stored records of every kind share. The types of the model are inferred from them. */
import { z } from 'zod';
import type { AnomalyKind } from './poll-outcome.ts';

/** What a schema reads, as data that does not change. */
export type Immutable<T> = { readonly [Key in keyof T]: Immutable<T[Key]> };
export type Stored<Schema extends z.ZodType> = Immutable<z.infer<Schema>>;

export const text = z.string();
export const count = z.int().nonnegative();
/** Milliseconds since the Unix epoch, in the range of a JavaScript date. */
export const timeMs = z.number().nonnegative().max(8.64e15);
/** Refuses a zone with an empty name: it would be shown as the whole region, and so twice. */
const zone = text.min(1).nullable();
const labels = z.record(text, text);

/** What a record is about. */
export const target = z.object({
  /** The configured name of the account, the `account` label. */
  account: text,
  region: text,
  /** The operation of the service. It identifies the collector of the target. */
  operation: text,
  /**
   * Labels that distinguish targets of one operation and region, such as `template_id`. Absent if a region has
   * one target of the operation.
   */
  resource: labels.optional(),
});

/** The counters of polls. They are not stored: they begin at 0 with each process. */
interface PollCounts {
  readonly polls: number;
  /** Failed polls by code. At most {@link maxFailureCodes} codes, further ones count as `Other`. */
  readonly failures: Readonly<Record<string, number>>;
  readonly anomalies: Readonly<Partial<Record<AnomalyKind, number>>>;
}
export const noPolls: PollCounts = { polls: 0, failures: {}, anomalies: {} };

/** Times and results of the polls of a target. */
export const freshness = z
  .object({
    /** `null` until the first poll ended. */
    lastPoll: z.object({ atMs: timeMs, durationMs: z.number() }).nullable(),
    lastSuccessAtMs: timeMs.nullable(),
    /** `null` while the last poll succeeded, or if there was no poll. `sinceMs` is the first failure in a row. */
    failure: z
      .object({ code: text, message: text, requestId: text.nullable(), sinceMs: timeMs })
      .nullable(),
  })
  .transform((times) => ({ ...noPolls, ...times }));

/** A difference between two consecutive snapshots of a target, with the target's name. */
export const change = target.extend({
  /** Such as `default-version-changed`. Each collector has its own kinds. */
  kind: text,
  /** End of the poll that found the change. */
  atMs: timeMs,
  /** `null` unless a quota changed. */
  quotaType: text.nullable(),
  /** `null` if the change has no zone. */
  zone,
  /** The old value, such as a version number, a limit or a name. `null` if there was none. */
  from: z.union([z.number(), text]).nullable(),
  /** The new value, in the same form. */
  to: z.union([z.number(), text]).nullable(),
});

/** The use of the quotas of a target. The point of a step is the first successful poll in it. */
export const trend = z.object({
  stepMs: z.number().positive(),
  /** The last step with a point, as a number of steps since the Unix epoch. */
  lastStep: z.int(),
  quotas: z.array(
    z.object({
      type: text,
      zone,
      labels: labels.optional(),
      /** The oldest first; the last one is the one of the last step of the trend. `null` is unknown. */
      use: z.array(z.number().nullable()),
    }),
  ),
});

/** The fields of what every record counts. */
export const countedFields = {
  /** The number of the account at the service. `null` while it is unknown. */
  appId: count.nullable(),
  /** The last changes of the target, at most {@link maxRecentChanges}. */
  recentChanges: z.array(change),
};

/** The schema of the records of a kind: what every record has, and what the kind adds. */
export function recordSchema<
  Own extends z.ZodRawShape,
  Counted extends z.ZodRawShape,
  Snapshot extends z.ZodType,
>(
  operation: string,
  kind: { readonly target: Own; readonly counted: Counted; readonly snapshot: Snapshot },
) {
  return z.object({
    target: target.extend({ operation: z.literal(operation), ...kind.target }),
    counted: z.object({ ...countedFields, ...kind.counted }),
    seen: z.object({
      freshness,
      snapshot: kind.snapshot.nullable(),
      // One that cannot be read is left out: it must not cost the record its counters.
      trend: trend.optional().catch(undefined),
    }),
  });
}

/** The schema of the snapshots of a kind, which are each a {@link Snapshot}. */
export const snapshotSchema = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.object({ missing: z.array(text), ...fields });

/** The fields that identify a quota, and its unit. */
const quotaName = {
  /** The type, such as `postpaid`: the `quota_type` label. */
  type: text,
  /** `null` for a quota of the whole region. */
  zone,
  /** The counted unit of the three numbers, such as `instances`: the `unit` label. */
  unit: text,
  /** Labels of the resource that it limits, such as `subnet_id`. Absent for a quota of the account. */
  labels: labels.optional(),
};

const limit = z.number().nonnegative();
const amounts = {
  /** May be above the limit, because a limit can be lowered below the present use. `null` while unknown. */
  used: limit.nullable(),
  /** Negative if the quota is overdrawn. `null` while unknown. */
  remaining: z.number().nullable(),
};

/** A quota of a snapshot. */
export const quota = z.object({ ...quotaName, ...amounts, limit });

/** What is remembered of a quota. It is kept while the quota is absent. */
export const quotaHistory = z.object({
  ...quotaName,
  /** The last known limit. `null` if it was never read, or if it belonged to another account. */
  limit: limit.nullable(),
  raised: count,
  lowered: count,
  /** When the last change in each direction was found. */
  raisedAtMs: timeMs.nullable(),
  loweredAtMs: timeMs.nullable(),
  /** How often it disappeared. */
  disappeared: count,
  /**
   * Whether the service has it, as far as that is known. `false` for one that disappeared, that is not selected, or
   * that only a partly readable set has named.
   */
  isKnown: z.boolean(),
  /** `null` while the answers have it, or may have it in an unreadable row. */
  absence: z
    .object({
      ...amounts,
      /** Successful polls in a row that lacked it. */
      polls: count,
      /** When it counted as disappeared. `null` while it is missing. */
      disappearedAtMs: timeMs.nullable(),
    })
    .nullable(),
});
