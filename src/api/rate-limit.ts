/**
 * Limits requests to the rate that the service allows (docs/service.md, section 10). `call.ts` gets a permit for each
 * attempt. The daemon configures the rates, and shows them as metrics.
 */

/**
 * How long a request that was written takes a slot: the second in which the service counts, and the time by
 * which two requests may differ on their way.
 */
const slotMs = 1_050;
/** The current rate is raised at most once, and halved at most once, in this time. */
const changeMs = 1_000;

/**
 * What the end of a request says about the rate of the service.
 *
 * - `throttled`: the service refused it because of too many requests, so the rate is halved.
 * - `answered`: the service itself answered with anything else, so the rate is raised.
 * - `unknown`: it was not sent, failed on its way, or a gateway answered. The rate stays.
 */
export type RateFeedback = 'throttled' | 'answered' | 'unknown';

/** The right to send one request. It takes a slot of the rate. */
export interface Permit {
  /** Call it when the headers of the request are written. The slot is free 1,050 ms later. */
  readonly written: () => void;
  /** Call it when the request has ended. A request that was not written frees its slot. */
  readonly ended: (feedback: RateFeedback) => void;
}

/**
 * Lets at most `requestsPerSecond` requests arrive at the service in any sliding second. Permits are given in the
 * order of the calls.
 *
 * The second of a request begins when it is written, and not when it gets its permit: its connection may take long. All
 * times are of the monotonic clock, because a wall clock that is set back would stop the permits.
 *
 * While the service throttles, the current rate is lower. A throttled request halves it at once, whatever was answered
 * before; two within a second count as one. An answer raises it by a tenth of the configured rate, if it was neither
 * raised nor halved within a second.
 */
export class RateLimit {
  /** When each slot is free, on the monotonic clock. Infinite until its request is written. */
  readonly #slots = new Set<{ freeAtMs: number }>();
  /** For each waiting caller a function that gives it a permit, in the order of the calls. */
  readonly #waiting = new Set<() => void>();
  #configured: number;
  #current: number;
  #raisedAtMs = -Infinity;
  #halvedAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(requestsPerSecond: number) {
    this.#configured = requestsPerSecond;
    this.#current = requestsPerSecond;
  }

  /** The current rate, from 1 to the configured one. */
  get requestsPerSecond(): number {
    return this.#current;
  }

  /** Whether the limit can be removed: no request takes a slot or waits for one. */
  isIdle(): boolean {
    const nowMs = performance.now();
    return this.#waiting.size === 0 && ![...this.#slots].some(({ freeAtMs }) => freeAtMs > nowMs);
  }

  /** Replaces the configured rate. The current rate follows at once, but is not raised while the service throttles. */
  configure(requestsPerSecond: number): void {
    const isThrottled = this.#current < this.#configured;
    this.#configured = requestsPerSecond;
    this.#current = isThrottled ? Math.min(this.#current, requestsPerSecond) : requestsPerSecond;
    this.#grantPermits();
  }

  /** Waits for a permit, whose `ended` the caller must call. Rejects with the signal's reason when it aborts. */
  acquire(signal: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const abort = () => {
        this.#waiting.delete(grant);
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      const grant = () => {
        signal.removeEventListener('abort', abort);
        resolve(this.#createPermit());
      };
      signal.addEventListener('abort', abort);
      this.#waiting.add(grant);
      this.#grantPermits();
    });
  }

  #createPermit(): Permit {
    const slot = { freeAtMs: Infinity };
    this.#slots.add(slot);
    return {
      written: () => {
        slot.freeAtMs = performance.now() + slotMs;
        this.#grantPermits();
      },
      ended: (feedback) => {
        if (slot.freeAtMs === Infinity) this.#slots.delete(slot);
        this.#adapt(feedback);
        this.#grantPermits();
      },
    };
  }

  /** Changes the current rate after a request has ended. */
  #adapt(feedback: RateFeedback): void {
    const nowMs = performance.now();
    const wasJustHalved = nowMs - this.#halvedAtMs < changeMs;
    if (feedback === 'unknown' || wasJustHalved) return;
    if (feedback === 'throttled') {
      this.#current = Math.max(1, Math.floor(this.#current / 2));
      this.#halvedAtMs = nowMs;
    } else if (nowMs - this.#raisedAtMs >= changeMs) {
      const step = Math.max(1, Math.floor(this.#configured / 10));
      this.#current = Math.min(this.#current + step, this.#configured);
      this.#raisedAtMs = nowMs;
    }
  }

  /** Frees the slots whose time has passed, gives permits while slots are free, and sets a timer for the next slot. */
  readonly #grantPermits = (): void => {
    clearTimeout(this.#timer);
    const nowMs = performance.now();
    let nextFreeMs = Infinity;
    for (const slot of this.#slots) {
      if (slot.freeAtMs <= nowMs) this.#slots.delete(slot);
      else nextFreeMs = Math.min(nextFreeMs, slot.freeAtMs);
    }
    for (const grant of this.#waiting) {
      if (this.#slots.size >= this.#current) break;
      this.#waiting.delete(grant);
      grant();
    }
    // Without a finite time, the end of a request gives the next permit.
    if (this.#waiting.size === 0 || nextFreeMs === Infinity) return;
    this.#timer = setTimeout(this.#grantPermits, Math.ceil(nextFreeMs - nowMs));
  };
}

/** The rate limits of all requests: one for each identity, operation and gateway, as the service counts. */
export class RateLimits {
  readonly #limits = new Map<string, { identity: string; operation: string; limit: RateLimit }>();
  #requestsPerSecond: number;

  constructor(requestsPerSecond: number) {
    this.#requestsPerSecond = requestsPerSecond;
  }

  /** Replaces the configured rate of all limits, and removes idle limits of other identities than the given ones. */
  configure(identities: ReadonlySet<string>, requestsPerSecond: number): void {
    this.#requestsPerSecond = requestsPerSecond;
    for (const [key, { identity, limit }] of this.#limits) {
      limit.configure(requestsPerSecond);
      if (limit.isIdle() && !identities.has(identity)) this.#limits.delete(key);
    }
  }

  /**
   * The limit of an operation, which is created when it is first asked for.
   *
   * @param identity names who signs
   * @param gateway the host that is asked
   */
  of(identity: string, operation: string, gateway: string): RateLimit {
    const key = JSON.stringify([identity, operation, gateway]);
    const limit = this.#limits.get(key)?.limit ?? new RateLimit(this.#requestsPerSecond);
    this.#limits.set(key, { identity, operation, limit });
    return limit;
  }

  /** The current rates by identity and operation, for the metrics. Of several gateways, the lowest one. */
  rates(): ReadonlyMap<string, ReadonlyMap<string, number>> {
    const lowest = new Map<string, Map<string, number>>();
    for (const { identity, operation, limit } of this.#limits.values()) {
      const ofIdentity = lowest.get(identity) ?? new Map<string, number>();
      const ofOthers = ofIdentity.get(operation) ?? Infinity;
      ofIdentity.set(operation, Math.min(limit.requestsPerSecond, ofOthers));
      lowest.set(identity, ofIdentity);
    }
    return lowest;
  }
}
