/** Continues a record that was read late: its target was already polled without it. */
import { advance, type Advance, type Compare } from './advance.ts';
import type { TargetRecord } from './record.ts';
import type { Target } from './target.ts';

/** How records of one kind are continued and compared. See the contract of a collector. */
export interface RecordRules {
  readonly continueRecord: (record: TargetRecord, target: Target) => TargetRecord;
  readonly compare: Compare;
}

/**
 * Updates the stored record with the results of later polls. A difference is a change, as if these polls had
 * been one poll.
 *
 * @param stored the record to continue; without one, the first of the later polls is the baseline
 * @param shown the record of the polls without the stored record; it gives the freshness
 */
export function catchUp(
  stored: TargetRecord | undefined,
  shown: TargetRecord,
  { continueRecord, compare }: RecordRules,
): Advance {
  if (stored === undefined) return { record: shown, changes: shown.recentChanges };
  const base = continueRecord(stored, shown.target);
  const { freshness, snapshot } = shown;
  if (freshness.lastPoll === null) return { record: base, changes: [] };
  const { lastSuccessAtMs } = freshness;
  if (snapshot === null || lastSuccessAtMs === null) {
    const lastKnown = base.freshness.lastSuccessAtMs;
    return {
      record: { ...base, freshness: { ...freshness, lastSuccessAtMs: lastKnown } },
      changes: [],
    };
  }
  // An earlier answer may have said which account it is.
  const known = { ...snapshot, appId: shown.appId };
  const seen = { ok: true as const, snapshot: known, anomalies: [], durationMs: 0 };
  const { record, changes } = advance(base, seen, lastSuccessAtMs, compare);
  return { record: { ...record, freshness }, changes };
}
