import type { Logger } from '../log.ts';
import type { Clock } from '../model/clock.ts';

/** A smaller difference only makes cycles begin that much earlier or later. */
const maxDifferenceMs = 1_000;

/**
 * The clock of a daemon in a cluster: that of its machine while it agrees with that of Redis within a second, else that of
 * Redis. A daemon whose clock is ahead would begin cycles that are not due yet, and write times that make records stale
 * for the others. Cycles, records and pages go by it, and requests to the
 * service by the clock of the machine. `Cluster` makes it, and sets it with each heartbeat.
 */
export class RedisClock implements Clock {
  readonly #local: Clock;
  readonly #logger: Logger;
  /** How far the local clock is ahead; 0 while both agree, and before the first heartbeat. */
  #aheadMs = 0;

  constructor(local: Clock, logger: Logger) {
    this.#local = local;
    this.#logger = logger;
  }

  /** @param redisMs the time of Redis just now, in milliseconds since the Unix epoch */
  setServerTime(redisMs: number): void {
    const aheadMs = this.#local.now() - redisMs;
    const isWrong = Math.abs(aheadMs) > maxDifferenceMs;
    if (isWrong && this.#aheadMs === 0) {
      this.#logger.warn('the clock differs from that of Redis, which is used instead', {
        ahead_seconds: Math.round(aheadMs / 1_000),
      });
    }
    this.#aheadMs = isWrong ? aheadMs : 0;
  }

  now(): number {
    return this.#local.now() - this.#aheadMs;
  }
}
