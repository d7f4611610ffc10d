import type { ClientOptions } from './options.ts';

/** Measures one attempt, and reports the result to the observer. */
export class HttpAttemptReport {
  readonly #operation: string;
  readonly #to: Pick<ClientOptions, 'account' | 'clock' | 'observer'>;
  #startedMs: number;
  #endedMs: number | null = null;

  constructor(operation: string, to: Pick<ClientOptions, 'account' | 'clock' | 'observer'>) {
    this.#operation = operation;
    this.#to = to;
    this.#startedMs = to.clock.now();
  }

  /** The rate limit gave a turn, so the wait has ended. */
  readonly turn = (): void => {
    const { account, clock, observer } = this.#to;
    const operation = this.#operation;
    const waitMs = clock.now() - this.#startedMs;
    if (waitMs > 0) observer.rateLimitWaited({ account, operation, waitMs });
    this.#startedMs = clock.now();
  };

  /** The request has its connection. */
  begins(): void {
    this.#startedMs = this.#to.clock.now();
  }

  /** The last byte has arrived. */
  ended(): void {
    this.#endedMs = this.#to.clock.now();
  }

  /** @param code `null` for success */
  finished(code: string | null): void {
    const { account, clock, observer } = this.#to;
    const operation = this.#operation;
    const durationMs = Math.max(0, (this.#endedMs ?? clock.now()) - this.#startedMs);
    observer.requestFinished({ account, operation, durationMs, code });
  }
}
