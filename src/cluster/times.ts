/** When cycles are due, by the schedule and the clock of Redis. */
import type { Config } from '../config/config.ts';
import { cronRuns } from '../config/cron-runs.ts';
import type { Logger } from '../log.ts';
import type { Clock } from '../model/clock.ts';
import { remembered } from '../model/remembered.ts';
import { lastRun, type Runs } from '../model/runs.ts';
import { maxMissed } from '../poll/schedule.ts';

/** A smaller difference makes a cycle begin earlier or later, and no more. */
const maxDifferenceMs = 1_000;

/**
 * The clock of the daemons of a cluster: the own one while it agrees with that of Redis, else that of Redis. A daemon
 * whose clock is ahead would begin cycles that are not due yet, and write times at which the others see stale records.
 */
export class RedisClock implements Clock {
  readonly #own: Clock;
  readonly #logger: Logger;
  /** How far the own clock is ahead; 0 while both agree, and before Redis has told its time. */
  #aheadMs = 0;

  constructor(own: Clock, logger: Logger) {
    this.#own = own;
    this.#logger = logger;
  }

  /** Redis has told its time, in milliseconds since the Unix epoch. */
  told(redisMs: number): void {
    const aheadMs = this.#own.now() - redisMs;
    const isWrong = Math.abs(aheadMs) > maxDifferenceMs;
    if (isWrong && this.#aheadMs === 0) {
      this.#logger.warn('the clock differs from that of Redis, which is used instead', {
        ahead_seconds: Math.round(aheadMs / 1_000),
      });
    }
    this.#aheadMs = isWrong ? aheadMs : 0;
  }

  now(): number {
    return this.#own.now() - this.#aheadMs;
  }
}

export interface DueTimesOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** The present configuration. */
  readonly current: () => Config;
}

export class DueTimes {
  readonly #options: DueTimesOptions;
  readonly #runsOf = remembered(cronRuns);
  /** Every account asks for the same second. Runs are at whole seconds. */
  readonly #nextAfter = remembered((runs: Runs, second: number) => runs.next(second * 1_000));
  /** The latest due time before another one. Every account asks for it, and it takes long to compute. */
  readonly #lastBefore = remembered((runs: Runs, nextMs: number) =>
    nextMs === Infinity ? null : lastRun(runs, nextMs - 1),
  );

  constructor(options: DueTimesOptions) {
    this.#options = options;
  }

  /** The latest due time; `null` before the first one. */
  last(): number | null {
    return this.#lastBefore(this.#runs(), this.#nextMs());
  }

  /** The time until the next cycle begins: with a random delay. */
  untilNextMs(): number {
    const { clock, current, random } = this.#options;
    return this.#nextMs() - clock.now() + Math.floor(current().poll.jitterMs * random());
  }

  /** How many cycles were not run between the due time that was finished last (0: none) and the present one. */
  missed(finishedMs: number, dueMs: number | null): number {
    if (finishedMs === 0 || dueMs === null) return 0;
    return this.#runs().between(finishedMs, dueMs - 1, maxMissed);
  }

  /** The due time for which a cycle should have begun; `null` when there is none. */
  waitingSince(finishedMs: number): number | null {
    const { clock, current } = this.#options;
    const sinceMs = finishedMs === 0 ? this.last() : this.#runs().next(finishedMs);
    const isWaiting = sinceMs !== null && sinceMs <= clock.now() - current().poll.jitterMs;
    return isWaiting ? sinceMs : null;
  }

  #nextMs(): number {
    return this.#nextAfter(this.#runs(), Math.floor(this.#options.clock.now() / 1_000)) ?? Infinity;
  }

  #runs(): Runs {
    return this.#runsOf(this.#options.current().poll);
  }
}
