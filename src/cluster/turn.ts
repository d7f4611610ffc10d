/**
 * A lock ends by the clock of Redis. By its own clock, a daemon stops earlier: then it has stopped also when the
 * two clocks differ by 5 percent in speed.
 */
const leaseShare = 0.9;

/** The permission of a daemon to poll an account: while its lock is confirmed, on its own monotonic clock. */
export class Turn {
  readonly #lockMs: number;
  readonly #ending = new AbortController();
  #endMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(lockMs: number) {
    this.#lockMs = lockMs;
  }

  /** Aborts when the permission ends. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /**
   * Redis confirmed the lock.
   *
   * @param askedAtMs when it was asked: the lock began then at the earliest
   */
  confirmed(askedAtMs: number): void {
    if (this.signal.aborted) return;
    this.#endMs = Math.max(this.#endMs, askedAtMs + this.#lockMs * leaseShare);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.end();
    }, this.#endMs - performance.now());
  }

  isHeld(): boolean {
    return performance.now() < this.#endMs;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#ending.abort();
  }
}
