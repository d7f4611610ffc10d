/** When cycles are due, by the schedule and the clock of Redis. */
import type { Config } from '../config/config.ts';
import { cronRuns } from '../config/cron-runs.ts';
import type { Clock } from '../model/clock.ts';
import { forLast } from '../model/for-last.ts';
import { lastRun, type Runs } from '../model/runs.ts';
import { maxMissed } from '../poll/schedule.ts';

export interface DueTimesOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** The present configuration. */
  readonly current: () => Config;
}

export class DueTimes {
  readonly #options: DueTimesOptions;
  readonly #runsOf = forLast(cronRuns);
  /** The latest due time before another one. Every account asks for it, and it takes long to compute. */
  readonly #lastBefore = forLast((runs: Runs, nextMs: number) =>
    nextMs === Infinity ? null : lastRun(runs, nextMs - 1),
  );

  constructor(options: DueTimesOptions) {
    this.#options = options;
  }

  /** The latest due time; `null` before the first one. */
  last(): number | null {
    return this.#lastBefore(this.#runs(), this.#nextMs());
  }

  /** The time until the next cycle begins. */
  untilNextMs(): number {
    return this.#nextMs() - this.#options.clock.now() + this.jitterMs();
  }

  /** A random delay. */
  jitterMs(): number {
    return Math.floor(this.#options.current().poll.jitterMs * this.#options.random());
  }

  /** How many cycles were not run between the due time that was finished last and the present one. */
  missed(finishedMs: number | null, dueMs: number | null): number {
    if (finishedMs === null || dueMs === null) return 0;
    return this.#runs().between(finishedMs, dueMs - 1, maxMissed);
  }

  /** A function that gives the due time for which a cycle should have begun; `null` when there is none. */
  waitingSince(): (finishedMs: number) => number | null {
    const untilMs = this.#options.clock.now() - this.#options.current().poll.jitterMs;
    const runs = this.#runs();
    // Most accounts have the same due time.
    const known = new Map<number, number | null>();
    return (finishedMs) => {
      const sinceMs =
        known.get(finishedMs) ??
        (finishedMs === 0 ? lastRun(runs, untilMs) : runs.next(finishedMs));
      known.set(finishedMs, sinceMs);
      return sinceMs !== null && sinceMs <= untilMs ? sinceMs : null;
    };
  }

  #nextMs(): number {
    return this.#runs().next(this.#options.clock.now()) ?? Infinity;
  }

  #runs(): Runs {
    return this.#runsOf(this.#options.current().poll);
  }
}
