import type { TargetRecord } from './record.ts';

/** Maximum time of a last success in the future. If it is more, the clock was set back. */
export const clockToleranceMs = 60_000;

/**
 * Whether the snapshot of a target may be shown as the present state: its last success is less than
 * `staleAfterMs` old. A success in the future proves nothing about the present, so it counts as stale too.
 */
export function isFresh(record: TargetRecord, nowMs: number, staleAfterMs: number): boolean {
  const successMs = record.freshness.lastSuccessAtMs;
  return (
    successMs !== null && nowMs >= successMs - clockToleranceMs && nowMs < successMs + staleAfterMs
  );
}

/** Whether the last poll succeeded and its answer is still fresh: the `up` of a target. */
export function isUp(record: TargetRecord, nowMs: number, staleAfterMs: number): boolean {
  return record.freshness.failure === null && isFresh(record, nowMs, staleAfterMs);
}
