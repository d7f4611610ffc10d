import type { Change } from './change.ts';
import type { AnomalyKind } from './poll-outcome.ts';
import type { Snapshot } from './snapshot.ts';
import type { Target } from './target.ts';

/** Why a target's polls are failing. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
  /** When the first of the failures in a row was seen; milliseconds since the Unix epoch. */
  readonly sinceMs: number;
}

/** When and how a target was polled. All times are milliseconds since the Unix epoch. */
export interface Freshness {
  /** `null` until the first poll ended. */
  readonly lastPoll: { readonly atMs: number; readonly durationMs: number } | null;
  readonly lastSuccessAtMs: number | null;
  /** `null` while the last poll succeeded, or there was none. */
  readonly failure: Failure | null;
  readonly polls: number;
  /** Failed polls by code; at most {@link maxFailureCodes} codes, further ones count as `Other`. */
  readonly failures: Readonly<Record<string, number>>;
  readonly anomalies: Readonly<Partial<Record<AnomalyKind, number>>>;
}

/**
 * All that is known of a target: its snapshot, the counters of its changes, and its freshness. Immutable,
 * and the unit of storage: it is replaced whole, so that a snapshot and the count of its changes always
 * belong together. A collector's own records add what it compares and counts.
 */
export interface TargetRecord {
  /** The kind of the collector. */
  readonly kind: string;
  readonly target: Target;
  readonly freshness: Freshness;
  readonly snapshot: Snapshot | null;
  /** The account's number at the service, as last known; `null` before. */
  readonly appId: number | null;
  /** The last changes of this target, at most {@link maxRecentChanges}. */
  readonly recentChanges: readonly Change[];
}

/** How many failure codes a record counts. The bound keeps a faulty service from growing it for ever. */
export const maxFailureCodes = 64;
/** How many of its changes a record keeps, newest last. They fill the change feed at a start. */
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

/** The label for `code`: itself, or `Other` once {@link maxFailureCodes} codes are known. */
export function countedCode(code: string, known: ReadonlySet<string>): string {
  return known.has(code) || known.size < maxFailureCodes ? code : 'Other';
}
