/** The central rule of the monitor: the old record and the outcome of a poll give the new record. */
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from './errors.ts';
import { changeOf, type Change, type Difference } from './change.ts';
import type { Anomaly, PollFailure, PollOutcome, PollSuccess } from './poll-outcome.ts';
import { countedCode, maxRecentChanges, type Freshness, type TargetRecord } from './record.ts';
import type { Snapshot } from './snapshot.ts';

/** Compares a snapshot with a record of the same kind. See the contract of a collector. */
export type Compare = (
  record: TargetRecord,
  snapshot: Snapshot,
  nowMs: number,
) => { readonly record: TargetRecord; readonly differences: readonly Difference[] };

export interface Advance {
  readonly record: TargetRecord;
  /** The changes that the poll found. Empty for a failure and for a baseline. */
  readonly changes: readonly Change[];
}

/** Makes the next record of a target; `null` when the record stays as it is. */
export type Step = (before: TargetRecord) => Advance | null;

/** A step that was taken. */
export interface Taken extends Advance {
  readonly before: TargetRecord;
}

/**
 * The record after a poll. A failure changes only the freshness. The first success is the baseline and
 * gives no change. An answer that was compared before gives none either. Never throws: a comparison that
 * fails is a failed poll.
 *
 * @param nowMs end of the poll, in milliseconds since the Unix epoch
 */
export function advance(
  record: TargetRecord,
  outcome: PollOutcome,
  nowMs: number,
  compare: Compare,
): Advance {
  if (!outcome.ok) {
    return { record: { ...record, freshness: afterFailure(record, outcome, nowMs) }, changes: [] };
  }

  const freshness = afterSuccess(record, outcome, nowMs);
  if (outcome.snapshot === record.snapshot) {
    return { record: { ...record, freshness }, changes: [] };
  }
  let compared: ReturnType<Compare>;
  try {
    compared = compare(record, outcome.snapshot, nowMs);
  } catch (error) {
    return advance(record, faultOf(error, outcome), nowMs, compare);
  }
  const next = { ...keepingEqual(record, compared.record), freshness };
  return withChanges(next, compared.differences, nowMs);
}

/** The next record. What is equal in both is taken from the record before, so that memory holds it once. */
function keepingEqual<R extends object>(before: object, after: R): R {
  const next = { ...after };
  for (const key of Object.keys(after)) {
    const last: unknown = Reflect.get(before, key);
    if (isDeepStrictEqual(last, Reflect.get(after, key))) Reflect.set(next, key, last);
  }
  return next;
}

/** A comparison that throws is a bug of this program. It must end neither the cycle nor the process. */
function faultOf(error: unknown, { durationMs }: PollSuccess): PollFailure {
  const reason = messageOf(error);
  const message = `the answer could not be compared: ${reason}`;
  return { ok: false, code: 'InvalidResponse', message, requestId: null, durationMs };
}

function withChanges(
  record: TargetRecord,
  differences: readonly Difference[],
  nowMs: number,
): Advance {
  const changes = differences.map((difference) => changeOf(record.target, nowMs, difference));
  if (changes.length === 0) return { record, changes };
  const recentChanges = [...record.recentChanges, ...changes].slice(-maxRecentChanges);
  return { record: { ...record, recentChanges }, changes };
}

function afterSuccess(record: TargetRecord, outcome: PollSuccess, nowMs: number): Freshness {
  const { freshness } = record;
  return {
    ...freshness,
    lastPoll: { atMs: nowMs, durationMs: outcome.durationMs },
    lastSuccessAtMs: nowMs,
    failure: null,
    polls: freshness.polls + 1,
    anomalies: countAnomalies(freshness.anomalies, outcome.anomalies),
  };
}

function afterFailure(record: TargetRecord, outcome: PollFailure, nowMs: number): Freshness {
  const { freshness } = record;
  const { code, message, requestId } = outcome;
  const counted = countedCode(code, new Set(Object.keys(freshness.failures)));
  const before = Object.hasOwn(freshness.failures, counted) ? freshness.failures[counted] : 0;
  return {
    ...freshness,
    lastPoll: { atMs: nowMs, durationMs: outcome.durationMs },
    failure: { code, message, requestId, sinceMs: freshness.failure?.sinceMs ?? nowMs },
    polls: freshness.polls + 1,
    failures: { ...freshness.failures, [counted]: (before ?? 0) + 1 },
  };
}

function countAnomalies(
  counts: Freshness['anomalies'],
  anomalies: readonly Anomaly[],
): Freshness['anomalies'] {
  if (anomalies.length === 0) return counts;
  const next = { ...counts };
  for (const { kind } of anomalies) next[kind] = (next[kind] ?? 0) + 1;
  return next;
}
