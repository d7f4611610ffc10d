/**
 * A lock ends by the clock of Redis. By its own clock, a daemon stops earlier: then it has stopped also when the
 * two clocks differ by 5 percent in speed.
 */
const leaseShare = 0.9;

/** How long a daemon may act for an account, on its own monotonic clock. */
export class Lease {
  readonly #lockMs: number;
  #endMs = -Infinity;

  constructor(lockMs: number) {
    this.#lockMs = lockMs;
  }

  /**
   * Redis confirmed the lock.
   *
   * @param askedAtMs when it was asked: the lock began then at the earliest
   */
  confirmed(askedAtMs: number): void {
    this.#endMs = Math.max(this.#endMs, askedAtMs + this.#lockMs * leaseShare);
  }

  /** The time when it ends if it is not confirmed again. */
  get endMs(): number {
    return this.#endMs;
  }

  isHeld(nowMs: number): boolean {
    return nowMs < this.#endMs;
  }
}

/**
 * A request counts for one second from its arrival. It arrives at most 250 ms after the end of a lease or a
 * cycle. The clock that measures this may be 5 percent fast.
 */
const quietMs = 1_250 * 1.06;

/**
 * How long a daemon must wait before its first request for an account, so that the requests of the former daemon
 * no longer count for the rate limit.
 *
 * @param former when the former cycle ended, relative to now; 0 when it was taken over without an end
 */
export function handOverMs(former: {
  readonly isSameDaemon: boolean;
  readonly idleMs: number;
}): number {
  return former.isSameDaemon ? 0 : Math.max(0, quietMs - former.idleMs);
}
