/** The central rule of the monitor: the old record and the outcome of a poll give the new record. */
import { isDeepStrictEqual } from 'node:util';
import { changeOf, moreChanges, type Change, type Difference } from './change.ts';
import { messageOf } from './errors.ts';
import type { PollFailure, PollOutcome, PollSuccess, Snapshot } from './poll-outcome.ts';
import { compareQuotas, forgetQuotas, type QuotaReading } from './quota-history.ts';
import {
  boundedCode,
  maxRecentChanges,
  type Durable,
  type Freshness,
  type SnapshotOf,
  type TargetRecord,
} from './record.ts';

/** What a kind found in a snapshot, besides what every kind has. */
export interface Comparison<C extends Durable = Durable> {
  /** The fields of the kind, as it counts them next. Default: as before. */
  readonly durable?: Partial<C>;
  /** Default: none. */
  readonly differences?: readonly Difference[];
  /** How to read the quotas of the snapshot. Default: each answer names all. */
  readonly quotas?: Omit<QuotaReading, 'quotas'>;
}

/** How a kind compares a snapshot with what its records count. See the contract of a collector. */
export interface ComparisonRules<R extends TargetRecord = TargetRecord> {
  compare(record: R, snapshot: SnapshotOf<R>, nowMs: number): Comparison<R['durable']>;
}

/** Maximum number of missing parts of an answer that are named. */
const maxMissing = 20;

export interface Advance {
  readonly record: TargetRecord;
  /** The changes that the poll found. Empty for a failure and for a baseline. */
  readonly changes: readonly Change[];
}

/** Makes the next record of a target; `null` when the record stays as it is. */
export type RecordUpdater = (before: TargetRecord) => Advance | null;

/** A step that was taken. */
export interface RecordUpdate extends Advance {
  readonly before: TargetRecord;
}

/** A record that took the place of another one. */
export type RecordReplacement = Pick<RecordUpdate, 'before' | 'record'>;

/**
 * The record after a poll. A failure changes only the freshness. The first success is the baseline and
 * gives no change. So is the first success of another account. Never throws: a comparison that fails is a failed
 * poll.
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
    const freshness = afterPoll(observed.freshness, outcome, nowMs);
    return { record: { ...record, observed: { ...observed, freshness } }, changes: [] };
  }
  const { snapshot } = outcome;
  const last = record.durable.appId;
  const appId = snapshot.appId ?? last;
  const isOtherAccount = last !== null && appId !== last;
  const before = isOtherAccount ? forgotten(record) : record;
  let compared: ReturnType<typeof compareAll>;
  try {
    compared = compareAll(before, snapshot, nowMs, rules);
  } catch (error) {
    return advance(record, faultOf(error, outcome), nowMs, rules);
  }
  const changesOf = (differences: readonly Difference[]) =>
    differences.map((each) => changeOf(record.target, nowMs, each));
  const { differences } = compared;
  const recentChanges = [...record.durable.recentChanges, ...changesOf(inFeed(differences))];
  const durable = {
    ...compared.durable,
    appId,
    recentChanges: recentChanges.slice(-maxRecentChanges),
  };
  const lacks = outcome.anomalies.flatMap((each) => (each.isHarmless ? [] : [each.detail]));
  const missing = bounded([...snapshot.missing, ...lacks, ...compared.missing]);
  const next = {
    ...before.observed,
    freshness: afterPoll(observed.freshness, outcome, nowMs),
    snapshot: sameIfEqual(observed.snapshot, { ...snapshot, missing }),
  };
  return {
    record: { ...record, durable: sameIfEqual(record.durable, durable), observed: next },
    changes: changesOf(differences),
  };
}

/** Compares what every kind has, the quotas, and what only its own has. */
function compareAll(
  record: TargetRecord,
  snapshot: Snapshot,
  nowMs: number,
  rules: ComparisonRules,
) {
  const { durable, observed } = record;
  const { quotas: reading, ...own } = rules.compare(record, snapshot, nowMs);
  const { differences, memory, missing } = compareQuotas(
    durable,
    observed.snapshot?.quotas ?? [],
    { quotas: snapshot.quotas ?? [], ...reading },
    nowMs,
  );
  return {
    durable: { ...durable, ...own.durable, ...memory },
    differences: [...differences, ...(own.differences ?? [])],
    missing,
  };
}

/** The record of a target whose credentials belong to another account now. Its counters stay. */
function forgotten({ durable, observed, target }: TargetRecord): TargetRecord {
  const next = { ...durable, ...forgetQuotas(durable) };
  return { target, durable: next, observed: { ...observed, trend: undefined } };
}

/** The differences that a poll adds to the feed: of more than it keeps, the last line says how many. */
function inFeed(differences: readonly Difference[]): readonly Difference[] {
  if (differences.length <= maxRecentChanges) return differences;
  const named = differences.slice(0, maxRecentChanges - 1);
  return [...named, { kind: moreChanges, from: null, to: differences.length - named.length }];
}

/** What is equal to the object before is that object, so that its identity tells whether anything changed. */
function sameIfEqual<T>(before: T, after: T): T {
  return isDeepStrictEqual(before, after) ? before : after;
}

/** At most 20 of the sentences, then the number of the others. */
function bounded(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= maxMissing) return sentences;
  return [...sentences.slice(0, maxMissing), `and ${sentences.length - maxMissing} more`];
}

/** A comparison that throws is a bug of this program. It must end neither the cycle nor the process. */
function faultOf(error: unknown, { durationMs }: PollSuccess): PollFailure {
  const reason = messageOf(error);
  const message = `the answer could not be compared: ${reason}`;
  return { ok: false, code: 'InvalidResponse', message, requestId: null, durationMs };
}

function afterPoll(before: Freshness, outcome: PollOutcome, nowMs: number): Freshness {
  const lastPoll = { atMs: nowMs, durationMs: outcome.durationMs };
  const polled = { ...before, lastPoll, polls: before.polls + 1 };
  if (outcome.ok) {
    const anomalies = { ...before.anomalies };
    for (const { kind } of outcome.anomalies) anomalies[kind] = (anomalies[kind] ?? 0) + 1;
    return { ...polled, lastSuccessAtMs: nowMs, failure: null, anomalies };
  }
  const { code, message, requestId } = outcome;
  const failures = new Map(Object.entries(before.failures));
  const bounded = boundedCode(code, failures);
  return {
    ...polled,
    failure: { code, message, requestId, sinceMs: before.failure?.sinceMs ?? nowMs },
    failures: { ...before.failures, [bounded]: (failures.get(bounded) ?? 0) + 1 },
  };
}
