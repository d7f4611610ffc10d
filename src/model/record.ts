/**
 * The record of a target: all that is kept of it, in its durable and its observed half. Collectors extend its schema,
 * `advance.ts` makes the next one, and `published-records.ts` has those of the process.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { changeSchema } from './change.ts';
import type { AnomalyKind, Snapshot } from './poll-outcome.ts';
import { isReportable, type QuotaName, type ReportableQuotas } from './quota.ts';
import { forgetUnselected, durableQuotaFields } from './quota-history.ts';
import { count, text, timeMs, type Stored } from './stored.ts';
import { targetSchema, type Target } from './target.ts';
import { trendSchema, type Trend } from './trend.ts';

/** The counters of polls. They are not stored: they begin at 0 with each process. */
interface PollCounts {
  readonly polls: number;
  /** Failed polls by code. At most {@link maxFailureCodes} codes, further ones count as `Other`. */
  readonly failures: Readonly<Record<string, number>>;
  readonly anomalies: Readonly<Partial<Record<AnomalyKind, number>>>;
}
const noPolls: PollCounts = { polls: 0, failures: {}, anomalies: {} };

/** Times and results of the polls of a target. */
export const freshnessSchema = z
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
export type Freshness = Stored<typeof freshnessSchema>;

/** The fields of the durable half of every record. Kinds add their own. */
const commonDurableFields = {
  /** The number of the account at the service. `null` while it is unknown. */
  appId: count.nullable(),
  /** The last changes of the target, at most {@link maxRecentChanges}. */
  recentChanges: z.array(changeSchema),
  /** Since when parts of its launches block them, in milliseconds since the Unix epoch, by launch and part. */
  blockedSince: z.record(text, timeMs).default({}),
  /** The keys of the quotas in `lastKnown` of the snapshot. Durable, so that their numbers are stored as soon as they count. */
  lastKnownKeys: z.array(text).default([]),
  ...durableQuotaFields,
};

/** Makes the schema of the records of a kind: the fields of every record, and those that the kind adds. */
export function recordSchema<
  Own extends z.ZodRawShape,
  OwnDurable extends Readonly<Record<string, z.ZodDefault>>,
  Content extends z.ZodType,
>(kind: { readonly target: Own; readonly durable: OwnDurable; readonly snapshot: Content }) {
  return z.object({
    target: targetSchema.extend(kind.target),
    durable: z.object({ ...commonDurableFields, ...kind.durable }),
    observed: z.object({
      freshness: freshnessSchema,
      snapshot: kind.snapshot.nullable(),
      // An unreadable trend is left out: it must not cost the record its counters.
      trend: trendSchema.optional().catch(undefined),
    }),
  });
}

/**
 * The durable half: the data that the next snapshot is compared with, the counters of changes, and the last changes. It is
 * shown only after it is stored. A collector adds its own fields.
 */
export type Durable = Stored<DurableSchema>;
type DurableSchema = z.ZodObject<typeof commonDurableFields>;
export type BlockedSince = Durable['blockedSince'];

/** The observed half: what polls saw of a target. It may be shown before it is stored: a crash loses nothing that counts. */
export interface Observed {
  readonly freshness: Freshness;
  readonly snapshot: Snapshot | null;
  /** The use of its quotas. Absent before the first success, and for a target without quotas. */
  readonly trend?: Trend | undefined;
}

/**
 * The record of a target. It is immutable and the unit of storage: it is replaced as a whole. While nothing that counts
 * changes, `durable` stays the same object: stores compare it with `===`.
 */
export interface TargetRecord<C extends Durable = Durable> {
  readonly target: Target;
  readonly durable: C;
  readonly observed: Observed;
}

/** The schema of the records of a kind. */
export type RecordSchema<R extends TargetRecord = TargetRecord> = z.ZodType<R> & {
  readonly shape: { readonly durable: z.ZodType<R['durable']> };
};

/** The type of the snapshots of a type of records. */
export type SnapshotOf<R extends TargetRecord> = NonNullable<R['observed']['snapshot']>;

/** Maximum number of failure codes in a record. Without it, a faulty service could make it grow forever. */
export const maxFailureCodes = 64;
/** Maximum number of changes in a record, newest last. At a start they fill the change feed. */
export const maxRecentChanges = 20;

/** The freshness of a target that was never polled. */
export const neverPolled: Freshness = {
  lastPoll: null,
  lastSuccessAtMs: null,
  failure: null,
  ...noPolls,
};

/** The halves of a new record, whatever its kind. What has a default in the schema is left out. */
const newDurable: z.input<DurableSchema> = { appId: null, recentChanges: [], histories: [] };
const newObserved: Observed = { freshness: neverPolled, snapshot: null };

/** The part of a collector by which a record begins, and goes on with another selection. */
export interface RecordRules {
  readonly stored: RecordSchema;
  reportableQuotas(target: Target): readonly ReportableQuotas[];
}

/** The record of a target that was never polled. What its kind adds begins with the defaults of the schema. */
export function newRecord(target: Target, { stored }: Pick<RecordRules, 'stored'>): TargetRecord {
  return { target, durable: stored.shape.durable.parse(newDurable), observed: newObserved };
}

/**
 * Continues a record for a target with the same key and perhaps another selection: without the quotas that the target
 * no longer asks for. The same object if the target is equal.
 */
export function continueRecord(record: TargetRecord, target: Target, rules: RecordRules) {
  const { durable, observed } = record;
  if (isDeepStrictEqual(record.target, target)) return record;
  const reportable = rules.reportableQuotas(target);
  const isSelected = (quota: QuotaName) => isReportable(reportable, quota);
  const { snapshot } = observed;
  const narrowed = snapshot?.quotas && {
    ...snapshot,
    quotas: snapshot.quotas.filter(isSelected),
    ...(snapshot.lastKnown && { lastKnown: snapshot.lastKnown.filter(isSelected) }),
  };
  return {
    target,
    durable: { ...durable, ...forgetUnselected(durable, isSelected) },
    observed: { ...observed, snapshot: narrowed ?? snapshot },
  };
}

/**
 * The label of a failure in metrics: its code, or `Other` if it would be one more than {@link maxFailureCodes} codes.
 *
 * @param codes the labels until now
 */
export function failureLabel(code: string, codes: Pick<ReadonlySet<string>, 'has' | 'size'>) {
  return codes.has(code) || codes.size < maxFailureCodes ? code : 'Other';
}

/** Maximum time of a last success in the future. If it is more, the clock was set back. */
export const clockToleranceMs = 60_000;

/**
 * Whether the snapshot of a target may be shown as the present state. It becomes stale `staleAfterMs` after its last
 * success, and a target with `intervalMs` so much later. A success in the future proves nothing about the present, so it
 * counts as stale, too.
 */
export function isFresh(
  { observed: { freshness }, target }: TargetRecord,
  nowMs: number,
  staleAfterMs: number,
): boolean {
  // Without a success, the age is NaN, and both comparisons are false.
  const ageMs = nowMs - (freshness.lastSuccessAtMs ?? NaN);
  return ageMs >= -clockToleranceMs && ageMs < staleAfterMs + (target.intervalMs ?? 0);
}

/**
 * The display state of a target: `failing` if its last poll failed; `denied` in place of it if the target is a part of
 * launches that lacks a permission (`expose/evaluation.ts` decides it); `stale` if the last poll succeeded, but too long ago;
 * `incomplete` if its answer lacked something; and `pending` before its first poll.
 */
export type TargetState = 'failing' | 'denied' | 'pending' | 'stale' | 'incomplete' | 'up';

/**
 * The state of a target, for page, terminal and JSON.
 *
 * @param isFreshNow see {@link isFresh}
 */
export function targetState(
  { observed: { freshness, snapshot } }: TargetRecord,
  isFreshNow: boolean,
): Exclude<TargetState, 'denied'> {
  if (freshness.failure !== null) return 'failing';
  if (freshness.lastPoll === null) return 'pending';
  if (!isFreshNow) return 'stale';
  return snapshot !== null && snapshot.missing.length > 0 ? 'incomplete' : 'up';
}
