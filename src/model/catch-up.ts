/** Continues a record that was read late: its target was already polled without it. */
import { advance, type Advance, type ComparisonRules } from './advance.ts';
import type { TargetRecord } from './record.ts';
import type { Target } from './target.ts';

/** How records of one kind are continued and compared. See the contract of a collector. */
export interface RecordRules extends ComparisonRules {
  readonly continueRecord: (record: TargetRecord, target: Target) => TargetRecord;
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
  rules: RecordRules,
): Advance {
  if (stored === undefined) return { record: shown, changes: shown.counted.recentChanges };
  const base = rules.continueRecord(stored, shown.target);
  const { freshness, snapshot } = shown.seen;
  if (freshness.lastPoll === null) return { record: base, changes: [] };
  const { lastSuccessAtMs } = freshness;
  if (snapshot === null || lastSuccessAtMs === null) {
    const lastKnown = base.seen.freshness.lastSuccessAtMs;
    const seen = { ...base.seen, freshness: { ...freshness, lastSuccessAtMs: lastKnown } };
    return { record: { ...base, seen }, changes: [] };
  }
  // An earlier answer may have said which account it is.
  const known = { ...snapshot, appId: shown.counted.appId };
  const polled = { ok: true as const, snapshot: known, anomalies: [], durationMs: 0 };
  const { record, changes } = advance(base, polled, lastSuccessAtMs, rules);
  return { record: { ...record, seen: { ...record.seen, freshness } }, changes };
}
