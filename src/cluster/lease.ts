import type { AccountLease } from '../poll/poller-contracts.ts';
import type { BegunCycle } from './redis-store.ts';

/**
 * A lock ends by the clock of Redis. By its own clock, a daemon stops earlier: then it has stopped also when the
 * two clocks differ by 5 percent in speed.
 */
const leaseShare = 0.9;

/** One for all turns: an abort without a reason makes one, with a stack. */
const ended = new Error('the lease has ended');

/** The permission of a daemon to poll an account: while the lock of its job is confirmed, on its own monotonic clock. */
export class Lease implements AccountLease {
  /** The cycle that this daemon has begun; `null` before, and after its end. */
  begun: BegunCycle | null = null;
  /** The due time that the cycle serves. A later one may join. `null` when it polls only targets without a poll. */
  dueMs: number | null = null;
  /** The cluster ID that this daemon knew when the lease began. With another one, it may begin nothing. */
  readonly clusterId: string;
  readonly #lockMs: number;
  readonly #ending = new AbortController();
  #endMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(lockMs: number, clusterId: string) {
    this.#lockMs = lockMs;
    this.clusterId = clusterId;
  }

  /** Aborts when the permission ends. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  readonly beforeSend = (): void => {
    if (performance.now() >= this.#endMs) this.end();
    this.signal.throwIfAborted();
  };

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

  end(): void {
    clearTimeout(this.#timer);
    this.#ending.abort(ended);
  }
}
