import { RateLimit } from './rate-limit.ts';

/** The rate limits of all requests that are signed with one SecretId: one for each operation. */
export class OperationLimits {
  readonly #limits = new Map<string, RateLimit>();
  /** The end of the present pause, on the monotonic clock. It also applies to limits that are created later. */
  #pausedUntilMs = 0;
  #requestsPerSecond: number;

  /** @param requestsPerSecond the configured rate of each operation */
  constructor(requestsPerSecond: number) {
    this.#requestsPerSecond = requestsPerSecond;
  }

  /** The limit of an operation. It is created at the first call. */
  of(operation: string): RateLimit {
    let limit = this.#limits.get(operation);
    if (limit === undefined) {
      limit = new RateLimit(this.#requestsPerSecond);
      limit.pause(this.#pausedUntilMs - performance.now());
      this.#limits.set(operation, limit);
    }
    return limit;
  }

  /** New limits with the same present rates. No request waits for them, and none was sent. */
  successor(): OperationLimits {
    const next = new OperationLimits(this.#requestsPerSecond);
    for (const [operation, { requestsPerSecond }] of this.#limits) {
      next.of(operation).lower(requestsPerSecond);
    }
    return next;
  }

  /** Applies a configuration, also to requests that wait for a connection to a former endpoint. */
  configure(requestsPerSecond: number): void {
    this.#requestsPerSecond = requestsPerSecond;
    for (const limit of this.#limits.values()) limit.configure(requestsPerSecond);
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
