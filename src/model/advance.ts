/** The central rule of the monitor: the old record and the outcome of a poll give the new record. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { changeOf, moreChangesKind, type Change, type Difference } from './change.ts';
import { messageOf } from './errors.ts';
import { failureOf, type PollOutcome, type Snapshot } from './poll-outcome.ts';
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
 * The record after a poll. A failure changes only the freshness. The first success is the baseline and gives no change.
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
  const { observed } = record;
  if (!outcome.ok) {
    const freshness = freshnessAfter(observed.freshness, outcome, nowMs);
    return { record: { ...record, observed: { ...observed, freshness } }, changes: [] };
  }
  const { snapshot } = outcome;
  const lastAppId = record.durable.appId;
  const appId = snapshot.appId ?? lastAppId;
  const isOtherAccount = lastAppId !== null && appId !== lastAppId;
  const before = isOtherAccount ? withoutAccount(record) : record;
  let compared: ReturnType<typeof compareAll>;
  try {
    compared = compareAll(before, snapshot, nowMs, rules);
  } catch (error) {
    // A bug of this program. It must end neither the cycle nor the process.
    const message = `the answer could not be compared: ${messageOf(error)}`;
    const failure = failureOf(new Error(message), outcome.durationMs);
    return advance(record, failure, nowMs, rules);
  }
  const changesOf = (differences: readonly Difference[]) =>
    differences.map((difference) => changeOf(record.target, nowMs, difference));
  const { differences, lastKnown } = compared;
  const recentChanges = [...record.durable.recentChanges, ...changesOf(forFeed(differences))];
  const durable = {
    ...compared.durable,
    appId,
    recentChanges: recentChanges.slice(-maxRecentChanges),
    lastKnownKeys: lastKnown.map(quotaKey),
  };
  const harmful = outcome.anomalies.filter(({ isHarmless }) => isHarmless !== true);
  const leftOut = harmful.map(({ detail }) => detail);
  const missing = boundedSentences([...snapshot.missing, ...leftOut, ...compared.missing]);
  const next = {
    ...before.observed,
    freshness: freshnessAfter(observed.freshness, outcome, nowMs),
    snapshot: sameIfEqual(observed.snapshot, {
      ...snapshot,
      missing,
      ...(lastKnown.length > 0 && { lastKnown }),
    }),
  };
  return {
    record: { ...record, durable: sameIfEqual(record.durable, durable), observed: next },
    changes: changesOf(differences),
  };
}

/** Compares the quotas, and lets the collector compare the rest. */
function compareAll(
  record: TargetRecord,
  snapshot: Snapshot,
  nowMs: number,
  rules: ComparisonRules,
) {
  const { durable, observed } = record;
  const { quotas: reading, ...ofKind } = rules.compare(record, snapshot, nowMs);
  const ofQuotas = compareQuotas(durable, { quotas: snapshot.quotas ?? [], ...reading }, nowMs);
  const lastKnown = lastKnownQuotas(
    [...rules.quotas(record), ...(observed.snapshot?.lastKnown ?? [])],
    rules.quotas({ ...record, observed: { ...observed, snapshot } }),
    ofQuotas.durable.histories,
  );
  return {
    durable: { ...durable, ...ofKind.durable, ...ofQuotas.durable },
    differences: [...ofQuotas.differences, ...(ofKind.differences ?? [])],
    missing: ofQuotas.missing,
    lastKnown,
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

function freshnessAfter(before: Freshness, outcome: PollOutcome, nowMs: number): Freshness {
  const lastPoll = { atMs: nowMs, durationMs: outcome.durationMs };
  const polled = { ...before, lastPoll, polls: before.polls + 1 };
  if (outcome.ok) {
    const anomalies = { ...before.anomalies };
    for (const { kind } of outcome.anomalies) anomalies[kind] = (anomalies[kind] ?? 0) + 1;
    return { ...polled, lastSuccessAtMs: nowMs, failure: null, anomalies };
  }
  const { code, message, requestId } = outcome;
  const failures = new Map(Object.entries(before.failures));
  const label = failureLabel(code, failures);
  return {
    ...polled,
    failure: { code, message, requestId, sinceMs: before.failure?.sinceMs ?? nowMs },
    failures: { ...before.failures, [label]: (failures.get(label) ?? 0) + 1 },
  };
}
