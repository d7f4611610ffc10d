/** Records of targets after one poll, for tests. */
import { advance } from './advance.ts';
import type { Anomaly } from '../../src/model/poll-outcome.ts';
import { newRecord } from './advance.ts';
import type { TargetRecord } from '../../src/model/record.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import type { Target } from '../../src/model/target.ts';

export const polledAtMs = Date.UTC(2026, 1, 3, 14, 5, 0);

/** The record after a successful first poll. */
export function answered(
  target: Target,
  snapshot: Snapshot,
  anomalies: readonly Anomaly[] = [],
): TargetRecord {
  const outcome = { ok: true as const, snapshot, anomalies, durationMs: 187 };
  return advance(newRecord(target), outcome, polledAtMs).record;
}

/** The record after a failed first poll. */
export function failed(target: Target, code: string, message = ''): TargetRecord {
  const outcome = { ok: false as const, code, message, requestId: null, durationMs: 412 };
  return advance(newRecord(target), outcome, polledAtMs).record;
}
