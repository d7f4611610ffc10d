/**
 * Why a due cycle of an account did not run: the last one had not ended, or the process was suspended, the clock was
 * set forward, or no daemon of a cluster could run it.
 */
export type SkipReason = 'overlap' | 'missed';

/** The cycles of an account since the daemon started. A reload of the configuration keeps them. */
export class CycleStats {
  completed = 0;
  readonly skipped: Record<SkipReason, number> = { overlap: 0, missed: 0 };
  /** Whether the last cycle that was due came too late. */
  isLate = false;
  lastDurationMs: number | null = null;
  /** When the last cycle began, in milliseconds since the Unix epoch. */
  lastStartedAtMs: number | null = null;
}
