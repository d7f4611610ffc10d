/** When cycles are due, by the schedule and the clock of Redis. */
import { runTimesOf, lastRun, type CronSchedule, type RunTimes } from './run-times.ts';
import type { Clock } from '../model/clock.ts';
import { memoizePerObject } from '../model/memoize.ts';
import { maxMissed } from './cycle-timer.ts';

export interface DueTimesOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** The present configuration. */
  readonly current: () => {
    readonly poll: CronSchedule & {
      /** The maximum random delay before each cycle. */
      readonly jitterMs: number;
    };
  };
}

export class DueTimes {
  readonly #options: DueTimesOptions;
  readonly #runsOf = memoizePerObject(runTimesOf);
  /** Every account asks for the same second. Runs are at whole seconds. */
  readonly #nextAfter = memoizePerObject((runs: RunTimes, second: number) =>
    runs.next(second * 1_000),
  );
  /** The latest due time before another one. Every account asks for it, and it takes long to compute. */
  readonly #lastBefore = memoizePerObject((runs: RunTimes, nextMs: number) =>
    nextMs === Infinity ? null : lastRun(runs, nextMs - 1),
  );

  constructor(options: DueTimesOptions) {
    this.#options = options;
  }

  /** The latest due time; `null` before the first one. */
  lastDueMs(): number | null {
    return this.#lastBefore(this.#runs(), this.#nextMs());
  }

  /** The time until the next cycle begins: with a random delay. */
  untilNextMs(): number {
    const { clock, current, random } = this.#options;
    return this.#nextMs() - clock.now() + Math.floor(current().poll.jitterMs * random());
  }

  /** How many cycles were not run between the due time that was finished last (0: none) and the present one. */
  countMissed(finishedMs: number, dueMs: number | null): number {
    if (finishedMs === 0 || dueMs === null) return 0;
    return this.#runs().countBetween(finishedMs, dueMs - 1, maxMissed);
  }

  /** The due time for which a cycle should have begun; `null` when there is none. */
  waitingSinceMs(finishedMs: number): number | null {
    const { clock, current } = this.#options;
    const sinceMs = finishedMs === 0 ? this.lastDueMs() : this.#runs().next(finishedMs);
    const isWaiting = sinceMs !== null && sinceMs <= clock.now() - current().poll.jitterMs;
    return isWaiting ? sinceMs : null;
  }

  #nextMs(): number {
    return this.#nextAfter(this.#runs(), Math.floor(this.#options.clock.now() / 1_000)) ?? Infinity;
  }

  #runs(): RunTimes {
    return this.#runsOf(this.#options.current().poll);
  }
}
