import type { Logger } from '../log.ts';

/**
 * Why a due cycle of an account did not run: the last one had not ended, or the process was suspended, the clock was
 * set forward, or no daemon of a cluster could run it.
 */
export type SkipReason = 'overlap' | 'missed';

const messages: Readonly<Record<SkipReason, string>> = {
  overlap:
    'cycle is late: the previous one has not ended; only targets that it finished are polled',
  missed:
    'cycles missed: the process was suspended, the clock was set forward, or no daemon of the cluster could run them',
};

/** The cycles of an account since the daemon started. A reload of the configuration keeps them. */
export class CycleStats {
  completed = 0;
  readonly skipped: Record<SkipReason, number> = { overlap: 0, missed: 0 };
  lastDurationMs: number | null = null;
  /** When the last cycle began, in milliseconds since the Unix epoch. */
  lastStartedAtMs: number | null = null;
  readonly #account: string;
  readonly #logger: Logger;
  /** Whether the last cycle that was due came too late. */
  #isLate = false;

  constructor(account: string, logger: Logger) {
    this.#account = account;
    this.#logger = logger;
  }

  /** Cycles that were due did not run. Logged once while they are late. */
  skip(reason: SkipReason, runs: number): void {
    this.skipped[reason] += runs;
    if (reason === 'missed' || !this.#isLate) {
      this.#logger.warn(messages[reason], { account: this.#account, runs });
    }
    this.#isLate ||= reason === 'overlap';
  }

  /** @param isOnTime whether no other cycle was due while it ran */
  completedAfter(durationMs: number, isOnTime: boolean): void {
    this.completed += 1;
    this.lastDurationMs = durationMs;
    if (!this.#isLate || !isOnTime) return;
    this.#isLate = false;
    this.#logger.info('cycles run on schedule again', { account: this.#account });
  }
}
