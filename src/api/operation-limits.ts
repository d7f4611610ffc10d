import { RateLimit } from './rate-limit.ts';

/** The allowed requests per second, by operation. */
export type RateOf = (operation: string) => number;

/** The rate limits of all requests that are signed with one SecretId: one for each operation. */
export class OperationLimits {
  readonly #limits = new Map<string, RateLimit>();
  /** The end of the present pause, on the monotonic clock. It also applies to limits that are created later. */
  #pausedUntilMs = 0;

  /** The limit of an operation. It is created at the first call. */
  of(operation: string, requestsPerSecond: number): RateLimit {
    let limit = this.#limits.get(operation);
    if (limit === undefined) {
      limit = new RateLimit(requestsPerSecond);
      limit.pause(this.#pausedUntilMs - performance.now());
      this.#limits.set(operation, limit);
    }
    limit.configure(requestsPerSecond);
    return limit;
  }

  /** Applies a configuration, also to requests that wait for a connection to a former endpoint. */
  configure(rateOf: RateOf): void {
    for (const [operation, limit] of this.#limits) {
      limit.configure(rateOf(operation));
      limit.serve();
    }
  }

  /** Holds every request back for a time. */
  pause(durationMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, performance.now() + durationMs);
    for (const limit of this.#limits.values()) limit.pause(durationMs);
  }

  /** Called when the service refused a request because all operations together had too many requests. */
  throttled(sentAtMs: number, pauseMs: number): void {
    this.pause(pauseMs);
    for (const limit of this.#limits.values()) limit.throttled(sentAtMs, pauseMs);
  }

  /** Whether the limits are unused: no request waits, and no state must be kept. */
  get isIdle(): boolean {
    const isPaused = performance.now() < this.#pausedUntilMs;
    return !isPaused && [...this.#limits.values()].every((limit) => limit.isIdle);
  }

  /** The present rates of all operations that have a limit. */
  rates(): readonly { readonly operation: string; readonly requestsPerSecond: number }[] {
    return [...this.#limits].map(([operation, { requestsPerSecond }]) => ({
      operation,
      requestsPerSecond,
    }));
  }
}
