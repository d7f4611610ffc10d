import type { Clock } from '../model/clock.ts';
import type { CycleStats } from './cycle-stats.ts';
import type { PollLog } from './poll-log.ts';

/** Counts and logs the cycles that ended, and those that did not run. */
export class CycleCounts {
  readonly #stats: CycleStats;
  readonly #log: PollLog;
  readonly #clock: Clock;

  constructor(stats: CycleStats, log: PollLog, clock: Clock) {
    this.#stats = stats;
    this.#log = log;
    this.#clock = clock;
  }

  ended(startedMs: number): void {
    this.#stats.lastDurationMs = Math.max(0, this.#clock.now() - startedMs);
    this.#stats.completed += 1;
  }

  overlapped(): void {
    this.#stats.skipped.overlap += 1;
    this.#log.cycleSkipped();
  }

  missed(runs: number): void {
    this.#stats.skipped.missed += runs;
    this.#log.cyclesMissed(runs);
  }
}
