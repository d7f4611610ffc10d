/** Why a due cycle did not run: the one before had not ended, or the process was suspended. */
export type SkipReason = 'overlap' | 'missed';

/** What happened to the cycles since the daemon started. Outlives a reload of the configuration. */
export interface CycleStats {
  completed: number;
  readonly skipped: Record<SkipReason, number>;
  lastDurationMs: number | null;
  /** When the running cycle began; milliseconds since the Unix epoch, `null` between cycles. */
  runningSinceMs: number | null;
}

export function newCycleStats(): CycleStats {
  return {
    completed: 0,
    skipped: { overlap: 0, missed: 0 },
    lastDurationMs: null,
    runningSinceMs: null,
  };
}
