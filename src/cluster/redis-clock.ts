import type { Logger } from '../log.ts';
import type { Clock } from '../model/clock.ts';

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
  setServerTime(redisMs: number): void {
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
