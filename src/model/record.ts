import type { z } from 'zod';
import type { Snapshot } from './snapshot.ts';
import { noPolls, type countedFields, type freshness, type Stored } from './stored.ts';
import type { Target } from './target.ts';
import type { Trend } from './trend.ts';

export type Freshness = Stored<typeof freshness>;

/**
 * What polls count of a target: the data that the next snapshot is compared with, the counters of changes, and the
 * last changes. It is shown only after it is stored. A collector adds its own data.
 */
export type Counted = Stored<z.ZodObject<typeof countedFields>>;

/** What polls saw of a target. It may be shown before it is stored: a crash loses nothing that counts. */
export interface Seen<S extends Snapshot = Snapshot> {
  readonly freshness: Freshness;
  readonly snapshot: S | null;
  /** The use of its quotas. Absent before the first success, and for a target without quotas. */
  readonly trend?: Trend | undefined;
}

/**
 * The complete state of a target, in two halves. It is immutable and the unit of storage: it is replaced as a
 * whole. While nothing that counts changes, `counted` stays the same object.
 */
export interface TargetRecord<C extends Counted = Counted, S extends Snapshot = Snapshot> {
  readonly target: Target;
  readonly counted: C;
  readonly seen: Seen<S>;
}

/** The snapshots of such records. */
export type SnapshotOf<R extends TargetRecord> = NonNullable<R['seen']['snapshot']>;

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

/** What every new record has, whatever its kind. */
const newCounted: Counted = { appId: null, recentChanges: [] };
const newSeen: Seen<never> = { freshness: neverPolled, snapshot: null };

/**
 * The record of a target that was never polled.
 *
 * @param counted what the kind adds
 */
export function newRecord(target: Target, counted: object): TargetRecord {
  return { target, counted: { ...newCounted, ...counted }, seen: newSeen };
}

/** The label for `code`: the code, or `Other` when {@link maxFailureCodes} codes are known. */
export function countedCode(code: string, known: ReadonlySet<string>): string {
  return known.has(code) || known.size < maxFailureCodes ? code : 'Other';
}
