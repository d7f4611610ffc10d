import type { RateLimit } from './web-config.ts';

/** Limits requests as `rate.Limiter` of Go does: at most `burst` at once, and one more after each interval. */
export class TokenBucket {
  readonly #limit: RateLimit;
  #tokens: number;
  #countedAtMs: number;

  /** @param nowMs of a clock that never goes back */
  constructor(limit: RateLimit, nowMs: number) {
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#countedAtMs = nowMs;
  }

  /** Whether a request is allowed now. It then counts. */
  take(nowMs: number): boolean {
    const { burst, intervalMs } = this.#limit;
    this.#tokens = Math.min(burst, this.#tokens + (nowMs - this.#countedAtMs) / intervalMs);
    this.#countedAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
