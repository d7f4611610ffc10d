/**
 * The central rule of the monitor: the old record and the outcome of a poll give the new record. `poll/poll-target.ts` calls
 * `advance` once for each poll. The other types are for those that store records. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { changeOf, moreChangesKind, type Change, type Difference } from './change.ts';
import { messageOf } from './errors.ts';
import { failureOf, type PollFailure, type PollOutcome, type PollSuccess } from './poll-outcome.ts';
import { quotaKey, type Quota } from './quota.ts';
import {
  compareQuotas,
  forgetQuotas,
  lastKnownQuotas,
  type QuotaReading,
} from './quota-history.ts';
import {
  failureLabel,
  maxRecentChanges,
  type Durable,
  type Freshness,
  type SnapshotOf,
  type TargetRecord,
} from './record.ts';

/** The result of a collector's `compare()`: what it found besides the quotas, which are compared for all kinds. */
export interface Comparison<C extends Durable = Durable> {
  /** The next values of the kind's own fields in the durable half. Default: unchanged. */
  readonly durable?: Partial<C>;
  /** What changed, except quotas. Default: nothing. */
  readonly differences?: readonly Difference[];
  /** Which quotas the answer could not name. Default: it names all, in one set. */
  readonly quotas?: Omit<QuotaReading, 'quotas'>;
}

/** The part of a collector that {@link advance} calls. */
export interface ComparisonRules<R extends TargetRecord = TargetRecord> {
  /** Pure. The first snapshot of a record makes no difference. */
  compare(record: R, snapshot: SnapshotOf<R>, nowMs: number): Comparison<R['durable']>;
  /** The quotas that a record reports. */
  quotas(record: R): readonly Quota[];
}

/** Maximum number of missing parts of an answer that a record names. */
export const maxMissing = 20;

/** A record after a poll. */
export interface Advance {
  readonly record: TargetRecord;
  /** The changes that the poll found. Empty for a failure and for a baseline. */
  readonly changes: readonly Change[];
}

/**
 * Makes the next record of a target. The storage calls it once, after earlier updates of the target have
 * ended. `null`: the record stays as it is.
 */
export type RecordUpdater = (before: TargetRecord) => Advance | null;

/** An update that took place. */
export interface RecordUpdate extends Advance {
  readonly before: TargetRecord;
}

/** A record that took the place of another one. */
export type RecordReplacement = Pick<RecordUpdate, 'before' | 'record'>;

/**
 * The record after a poll. A failure changes only the freshness. The first success is the baseline and gives no change: the
 * comparisons of quotas and of the kind return no difference where nothing was known before.
 *
 * The first success with the credentials of another account is a baseline again. Never throws: a comparison that fails
 * is a failed poll.
 *
 * @param nowMs end of the poll, in milliseconds since the Unix epoch
 */
export function advance(
  record: TargetRecord,
  outcome: PollOutcome,
  nowMs: number,
  rules: ComparisonRules,
): Advance {
  if (!outcome.ok) return afterFailure(record, outcome, nowMs);
  try {
    return afterSuccess(record, outcome, nowMs, rules);
  } catch (error) {
    // A bug of this program. It must end neither the cycle nor the process.
    const message = `the answer could not be compared: ${messageOf(error)}`;
    return afterFailure(record, failureOf(new Error(message), outcome.durationMs), nowMs);
  }
}

/** The record after a failed poll: only the freshness differs. */
function afterFailure(record: TargetRecord, outcome: PollFailure, nowMs: number): Advance {
  const { code, message, requestId } = outcome;
  const before = record.observed.freshness;
  const failures = new Map(Object.entries(before.failures));
  const label = failureLabel(code, failures);
  const freshness = {
    ...polledAgain(before, outcome, nowMs),
    failure: { code, message, requestId, sinceMs: before.failure?.sinceMs ?? nowMs },
    failures: { ...before.failures, [label]: (failures.get(label) ?? 0) + 1 },
  };
  return { record: { ...record, observed: { ...record.observed, freshness } }, changes: [] };
}

/** The record after a success. Compares the quotas, and lets the collector compare the rest. */
function afterSuccess(
  record: TargetRecord,
  outcome: PollSuccess,
  nowMs: number,
  rules: ComparisonRules,
): Advance {
  const { snapshot } = outcome;
  const lastAppId = record.durable.appId;
  const appId = snapshot.appId ?? lastAppId;
  const isOtherAccount = lastAppId !== null && appId !== lastAppId;
  const before = isOtherAccount ? withoutAccount(record) : record;
  const { durable, observed } = before;
  const { quotas: quotaReading, ...kindComparison } = rules.compare(before, snapshot, nowMs);
  const quotas = { quotas: snapshot.quotas ?? [], ...quotaReading };
  const ofQuotas = compareQuotas(durable, quotas, nowMs);
  // The last numbers of the quotas that this answer lacks. The durable half has their keys, so that they are stored at once.
  const lastKnown = lastKnownQuotas(
    [...rules.quotas(before), ...(observed.snapshot?.lastKnown ?? [])],
    rules.quotas({ ...before, observed: { ...observed, snapshot } }),
    ofQuotas.durable.histories,
  );
  const differences = [...ofQuotas.differences, ...(kindComparison.differences ?? [])];
  const changesOf = (found: readonly Difference[]) =>
    found.map((difference) => changeOf(record.target, nowMs, difference));
  const recentChanges = [...durable.recentChanges, ...changesOf(forFeed(differences))];
  const harmful = outcome.anomalies.filter(({ isHarmless }) => isHarmless !== true);
  const leftOut = harmful.map(({ detail }) => detail);
  const anomalies = { ...observed.freshness.anomalies };
  for (const { kind } of outcome.anomalies) anomalies[kind] = (anomalies[kind] ?? 0) + 1;
  const polled = polledAgain(observed.freshness, outcome, nowMs);
  const next = {
    durable: {
      ...{ ...durable, ...kindComparison.durable, ...ofQuotas.durable, appId },
      recentChanges: recentChanges.slice(-maxRecentChanges),
      lastKnownKeys: lastKnown.map(quotaKey),
    },
    snapshot: {
      ...snapshot,
      missing: boundedSentences([...snapshot.missing, ...leftOut, ...ofQuotas.missing]),
      ...(lastKnown.length > 0 && { lastKnown }),
    },
  };
  return {
    record: {
      ...record,
      durable: sameIfEqual(record.durable, next.durable),
      observed: {
        ...observed,
        freshness: { ...polled, lastSuccessAtMs: nowMs, failure: null, anomalies },
        snapshot: sameIfEqual(record.observed.snapshot, next.snapshot),
      },
    },
    changes: changesOf(differences),
  };
}

/**
 * A record whose credentials belong to another account now: its known limits and numbers are unknown, its counters stay.
 * Only answers with quotas name the account, so there is nothing else to forget.
 */
function withoutAccount({ durable, observed, target }: TargetRecord): TargetRecord {
  const next = { ...durable, ...forgetQuotas(durable) };
  return { target, durable: next, observed: { ...observed, snapshot: null, trend: undefined } };
}

/** At most {@link maxRecentChanges} differences for the feed. If there are more, the last one says how many are left out. */
function forFeed(differences: readonly Difference[]): readonly Difference[] {
  if (differences.length <= maxRecentChanges) return differences;
  const named = differences.slice(0, maxRecentChanges - 1);
  return [...named, { kind: moreChangesKind, from: null, to: differences.length - named.length }];
}

/** Returns `before` if both are equal, so that `===` tells whether anything changed. */
function sameIfEqual<T>(before: T, after: T): T {
  return isDeepStrictEqual(before, after) ? before : after;
}

/** At most {@link maxMissing} sentences, then the number of the others. */
function boundedSentences(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= maxMissing) return sentences;
  return [...sentences.slice(0, maxMissing), `and ${sentences.length - maxMissing} more`];
}

/** The freshness with one more poll. What the outcome says about it, the caller adds. */
function polledAgain(before: Freshness, { durationMs }: PollOutcome, nowMs: number): Freshness {
  return { ...before, lastPoll: { atMs: nowMs, durationMs }, polls: before.polls + 1 };
}
