import { ServiceError } from '../protocol/service-error.ts';

interface Window {
  second: number;
  requests: number;
}

/**
 * Counts the requests of each operation and account in each whole second of arrival. Refused requests count
 * too (docs/service.md, section 10).
 */
export class RateLimit {
  readonly #windows = new Map<string, Window>();

  /**
   * Counts one request.
   *
   * @throws ServiceError `RequestLimitExceeded`
   */
  admit(request: { caller: string; nowMs: number; perSecond: number }): void {
    const second = Math.floor(request.nowMs / 1000);
    let window = this.#windows.get(request.caller);
    if (window?.second !== second) {
      window = { second, requests: 0 };
      this.#windows.set(request.caller, window);
    }
    window.requests += 1;
    if (window.requests > request.perSecond) {
      throw new ServiceError(
        'RequestLimitExceeded',
        `Your current request times equals to \`${window.requests}\` in a second, which exceeds the frequency limit \`${request.perSecond}\` for a second. Please reduce the frequency of calls.`,
      );
    }
  }

  clear(): void {
    this.#windows.clear();
  }
}
