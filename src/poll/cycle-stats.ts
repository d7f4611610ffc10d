/**
 * Why a due cycle did not run: the last one had not ended, the process was suspended, the clock was set forward, or no
 * daemon of a cluster could run it.
 */
export type SkipReason = 'overlap' | 'missed';

/** Counts of cycles since the daemon started. A reload of the configuration keeps them. */
export interface CycleStats {
  completed: number;
  readonly skipped: Record<SkipReason, number>;
  lastDurationMs: number | null;
}

export function newCycleStats(): CycleStats {
  return {
    completed: 0,
    skipped: { overlap: 0, missed: 0 },
    lastDurationMs: null,
  };
}
