/** The rule at the heart of the monitor: an old record and a poll's outcome give the new record. */
import { changeOf, type Change, type Difference } from './change.ts';
import { compareQuotas } from './compare-quotas.ts';
import { compareVersions } from './compare-versions.ts';
import type { Anomaly, PollFailure, PollOutcome, PollSuccess } from './poll-outcome.ts';
import { countedCode, maxRecentChanges, type Freshness, type TargetRecord } from './record.ts';

export interface Advance {
  readonly record: TargetRecord;
  /** What the poll found changed; empty for a failure and for a baseline. */
  readonly changes: readonly Change[];
}

/**
 * The record after a poll. A failure touches freshness alone; the first success is the baseline and
 * changes nothing, as does the first of another account behind the same name. Never throws.
 *
 * @param nowMs when the poll ended; milliseconds since the Unix epoch
 */
export function advance(record: TargetRecord, outcome: PollOutcome, nowMs: number): Advance {
  if (!outcome.ok) {
    return { record: { ...record, freshness: afterFailure(record, outcome, nowMs) }, changes: [] };
  }

  const freshness = afterSuccess(record, outcome, nowMs);
  const { snapshot } = outcome;
  if (record.kind === 'quota' && snapshot.kind === 'quota') {
    const before = ofAccount(record, snapshot.appId);
    const { differences, ...compared } = compareQuotas(before, snapshot);
    return withChanges({ ...before, freshness, snapshot, ...compared }, differences, nowMs);
  }
  if (record.kind === 'launch-template' && snapshot.kind === 'launch-template') {
    const before = ofAccount(record, snapshot.appId);
    const { differences, counters } = compareVersions(before, snapshot, nowMs);
    return withChanges({ ...before, freshness, snapshot, ...counters }, differences, nowMs);
  }
  const mismatch: PollFailure = {
    ok: false,
    code: 'InvalidResponse',
    message: `a ${snapshot.kind} snapshot for a ${record.kind} target`,
    requestId: null,
    durationMs: outcome.durationMs,
  };
  return advance(record, mismatch, nowMs);
}

/**
 * The record as what an answer of this account is compared with. When another account is behind the
 * target's name, nothing that is known can be compared: the answer is a new baseline, and counters
 * keep their values.
 */
function ofAccount<R extends TargetRecord>(record: R, appId: number | null): R {
  if (appId === null || appId === record.appId) return record;
  if (record.appId === null) return { ...record, appId };
  const known =
    record.kind === 'quota'
      ? { limits: record.limits.map((history) => ({ ...history, limit: null })) }
      : { lastDefaultVersion: null };
  return { ...record, appId, inventory: null, ...known };
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
