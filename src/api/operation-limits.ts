import { RateLimit } from './rate-limit.ts';

/** How many requests per second are allowed, by operation. */
export type RateOf = (operation: string) => number;

/** The rate limits of all requests that are signed with one SecretId: one for each operation. */
export class OperationLimits {
  readonly #limits = new Map<string, RateLimit>();
  /** On the monotonic clock; for limits that are made later. */
  #pausedUntilMs = 0;

  /** The limit of an operation; one that is not there yet is made. */
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

  /** Applies a configuration, also to those that wait for a connection to a former endpoint. */
  configure(rateOf: RateOf): void {
    for (const [operation, limit] of this.#limits) {
      limit.configure(rateOf(operation));
      limit.serve();
    }
  }

  /** Keeps every request back for a time. */
  pause(durationMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, performance.now() + durationMs);
    for (const limit of this.#limits.values()) limit.pause(durationMs);
  }

  /** The service refused a request because there were too many of all operations together. */
  throttled(sentAtMs: number, pauseMs: number): void {
    this.pause(pauseMs);
    for (const limit of this.#limits.values()) limit.throttled(sentAtMs, pauseMs);
  }

  /** Whether nothing is held back or remembered. */
  get isIdle(): boolean {
    const isPaused = performance.now() < this.#pausedUntilMs;
    return !isPaused && [...this.#limits.values()].every((limit) => limit.isIdle);
  }

  /** The rates in force, of the operations that were asked for. */
  rates(): readonly { readonly operation: string; readonly requestsPerSecond: number }[] {
    return [...this.#limits].map(([operation, { requestsPerSecond }]) => ({
      operation,
      requestsPerSecond,
    }));
  }
}
