import type { Change } from './change.ts';
import type { AnomalyKind } from './poll-outcome.ts';
import type { Snapshot } from './snapshot.ts';
import type { Target } from './target.ts';
import type { Trend } from './trend.ts';

/** Why the polls of a target fail. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
  /** Time of the first failure in a row, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
}

/** Times and results of the polls of a target. All times are milliseconds since the Unix epoch. */
export interface Freshness {
  /** `null` until the first poll ended. */
  readonly lastPoll: { readonly atMs: number; readonly durationMs: number } | null;
  readonly lastSuccessAtMs: number | null;
  /** `null` while the last poll succeeded, or if there was no poll. */
  readonly failure: Failure | null;
  readonly polls: number;
  /** Failed polls by code. At most {@link maxFailureCodes} codes, further ones count as `Other`. */
  readonly failures: Readonly<Record<string, number>>;
  readonly anomalies: Readonly<Partial<Record<AnomalyKind, number>>>;
}

/**
 * The complete state of a target: its snapshot, the counters of its changes, and its freshness. It is
 * immutable and the unit of storage. It is replaced as a whole, so that a snapshot and the count of its changes
 * always belong together. The records of a collector add the data that it compares and counts.
 */
export interface TargetRecord {
  /** The kind of the collector. */
  readonly kind: string;
  readonly target: Target;
  readonly freshness: Freshness;
  readonly snapshot: Snapshot | null;
  /** The last known number of the account at the service. `null` before that. */
  readonly appId: number | null;
  /** The last changes of this target, at most {@link maxRecentChanges}. */
  readonly recentChanges: readonly Change[];
  /** The use of its quotas. Absent before the first success, and for a target without quotas. */
  readonly trend?: Trend | undefined;
}

/** Maximum number of failure codes in a record. Without it, a faulty service could make it grow forever. */
export const maxFailureCodes = 64;
/** Maximum number of changes in a record, newest last. At a start they fill the change feed. */
export const maxRecentChanges = 20;

/** The freshness of a target that was never polled. */
export const neverPolled: Freshness = {
  lastPoll: null,
  lastSuccessAtMs: null,
  failure: null,
  polls: 0,
  failures: {},
  anomalies: {},
};

/** What every new record has, whatever its kind. */
export const newRecordFields = {
  freshness: neverPolled,
  snapshot: null,
  appId: null,
  recentChanges: [],
} as const;

/** The label for `code`: the code, or `Other` when {@link maxFailureCodes} codes are known. */
export function countedCode(code: string, known: ReadonlySet<string>): string {
  return known.has(code) || known.size < maxFailureCodes ? code : 'Other';
}

/** The parts that change with time alone. No metric but those of the freshness depends on them. */
const timed: ReadonlySet<string> = new Set(['freshness', 'trend']);

/** Whether two records hold the same objects besides their freshness and trend. Compares no content. */
export function differInFreshnessOnly(a: TargetRecord, b: TargetRecord): boolean {
  for (const key in b) {
    if (!timed.has(key) && Reflect.get(a, key) !== Reflect.get(b, key)) return false;
  }
  return true;
}
