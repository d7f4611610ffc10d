import type { TargetRecord } from './record.ts';

/** Maximum time of a last success in the future. If it is more, the clock was set back. */
export const clockToleranceMs = 60_000;

/**
 * The time at which the snapshot of a target becomes stale: `staleAfterMs` after its next poll is due.
 * `-Infinity` without a success.
 */
function staleAtMs({ seen: { freshness }, target }: TargetRecord, staleAfterMs: number): number {
  return (freshness.lastSuccessAtMs ?? -Infinity) + staleAfterMs + (target.intervalMs ?? 0);
}

/**
 * Whether the snapshot of a target may be shown as the present state. A success in the future proves nothing
 * about the present, so it counts as stale too.
 */
export function isFresh(record: TargetRecord, nowMs: number, staleAfterMs: number): boolean {
  const successMs = record.seen.freshness.lastSuccessAtMs;
  return (
    successMs !== null &&
    nowMs >= successMs - clockToleranceMs &&
    nowMs < staleAtMs(record, staleAfterMs)
  );
}
