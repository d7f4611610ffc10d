/** Limits requests to the rate that the service allows (docs/service.md, section 10). */

/**
 * How long a request that was written takes a slot: the second in which the service counts, and the time by
 * which two requests may differ on their way.
 */
const slotMs = 1_050;
/** The present rate changes at most so often. */
const changeMs = 1_000;

/** The right to send one request. It takes a slot of the rate. */
export interface Permit {
  /** Call it when the headers of the request are written. The slot is free 1,050 ms later. */
  readonly written: () => void;
  /** Call it when the request has ended. A request that was not written frees its slot. */
  readonly ended: (how: 'refused' | 'answered' | 'failed') => void;
}

interface Slot {
  /** On the monotonic clock. Infinite until the request is written. */
  freeAtMs: number;
}

/**
 * Lets at most `requestsPerSecond` requests arrive at the service in any sliding second. Permits are given in the
 * order of the calls.
 *
 * The second of a request begins when it is written, and not when it gets its permit: its connection may take long. It uses
 * the monotonic clock, because a wall clock that is set back would stop it.
 *
 * While the service throttles, the present rate is lower. It is halved in every second with a refusal, and
 * raised by a tenth of the configured rate in every second with other answers.
 */
export class RateLimit {
  readonly #slots = new Set<Slot>();
  /** In the order of the calls. */
  readonly #waiting = new Set<() => void>();
  #configured: number;
  #current: number;
  #changedAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(requestsPerSecond: number) {
    this.#configured = requestsPerSecond;
    this.#current = requestsPerSecond;
  }

  /** The present rate, from 1 to the configured one. */
  get requestsPerSecond(): number {
    return this.#current;
  }

  get isIdle(): boolean {
    this.#serve();
    return this.#slots.size === 0;
  }

  configure(requestsPerSecond: number): void {
    const isThrottled = this.#current < this.#configured;
    this.#configured = requestsPerSecond;
    this.#current = isThrottled ? Math.min(this.#current, requestsPerSecond) : requestsPerSecond;
    this.#serve();
  }

  /** Waits for a permit. Rejects with the signal's reason when it aborts. */
  acquire(signal: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = () => {
        this.#waiting.delete(begin);
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve(this.#take());
      };
      signal.addEventListener('abort', leave);
      this.#waiting.add(begin);
      this.#serve();
    });
  }

  #take(): Permit {
    const slot: Slot = { freeAtMs: Infinity };
    this.#slots.add(slot);
    return {
      written: () => {
        slot.freeAtMs = performance.now() + slotMs;
        this.#serve();
      },
      ended: (how) => {
        if (slot.freeAtMs === Infinity) this.#slots.delete(slot);
        this.#adapt(how);
        this.#serve();
      },
    };
  }

  #adapt(how: 'refused' | 'answered' | 'failed'): void {
    const nowMs = performance.now();
    if (how === 'failed' || nowMs - this.#changedAtMs < changeMs) return;
    const step = Math.max(1, Math.floor(this.#configured / 10));
    const next = how === 'refused' ? Math.floor(this.#current / 2) : this.#current + step;
    this.#current = Math.min(Math.max(1, next), this.#configured);
    this.#changedAtMs = nowMs;
  }

  /** Gives the permits that are free, and sets a timer for the next one. */
  #serve(): void {
    clearTimeout(this.#timer);
    const nowMs = performance.now();
    let nextMs = Infinity;
    for (const slot of this.#slots) {
      if (slot.freeAtMs <= nowMs) this.#slots.delete(slot);
      else nextMs = Math.min(nextMs, slot.freeAtMs);
    }
    for (const begin of this.#waiting) {
      if (this.#slots.size >= this.#current) break;
      this.#waiting.delete(begin);
      begin();
    }
    if (this.#waiting.size === 0 || nextMs === Infinity) return;
    this.#timer = setTimeout(
      () => {
        this.#serve();
      },
      Math.ceil(nextMs - nowMs),
    );
  }
}

export interface PresentRate {
  readonly identity: string;
  readonly operation: string;
  readonly requestsPerSecond: number;
}

/** The rate limits of all requests: one for each identity, operation and gateway, as the service counts. */
export class RateLimits {
  readonly #limits = new Map<string, { identity: string; operation: string; limit: RateLimit }>();
  #requestsPerSecond: number;

  constructor(requestsPerSecond: number) {
    this.#requestsPerSecond = requestsPerSecond;
  }

  /** Applies a rate, and forgets what no present identity uses. */
  configure(identities: ReadonlySet<string>, requestsPerSecond: number): void {
    this.#requestsPerSecond = requestsPerSecond;
    for (const [key, { identity, limit }] of this.#limits) {
      limit.configure(requestsPerSecond);
      if (limit.isIdle && !identities.has(identity)) this.#limits.delete(key);
    }
  }

  /**
   * @param identity of the credentials that sign
   * @param gateway the host that is asked
   */
  of(identity: string, operation: string, gateway: string): RateLimit {
    const key = JSON.stringify([identity, operation, gateway]);
    const known = this.#limits.get(key);
    if (known !== undefined) return known.limit;
    const limit = new RateLimit(this.#requestsPerSecond);
    this.#limits.set(key, { identity, operation, limit });
    return limit;
  }

  /** The present rates. Of several gateways, the lowest one. */
  rates(): readonly PresentRate[] {
    const lowest = new Map<string, PresentRate>();
    for (const { identity, operation, limit } of this.#limits.values()) {
      const key = JSON.stringify([identity, operation]);
      const known = lowest.get(key)?.requestsPerSecond ?? Infinity;
      const requestsPerSecond = Math.min(limit.requestsPerSecond, known);
      lowest.set(key, { identity, operation, requestsPerSecond });
    }
    return [...lowest.values()];
  }
}
