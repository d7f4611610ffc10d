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
  /** By account and operation. */
  readonly #windows = new Map<string, Map<string, Window>>();

  /**
   * Counts one request.
   *
   * @throws ServiceError `RequestLimitExceeded`
   */
  admit(request: { account: string; operation: string; nowMs: number; perSecond: number }): void {
    const second = Math.floor(request.nowMs / 1000);
    const window = this.#windowOf(request.account, request.operation);
    if (window.second !== second) {
      window.second = second;
      window.requests = 0;
    }
    window.requests += 1;
    if (window.requests > request.perSecond) {
      throw new ServiceError(
        'RequestLimitExceeded',
        `Your current request times equals to \`${window.requests}\` in a second, which exceeds the frequency limit \`${request.perSecond}\` for a second. Please reduce the frequency of calls.`,
      );
    }
  }

  #windowOf(account: string, operation: string): Window {
    const windows = this.#windows.get(account) ?? new Map<string, Window>();
    const window = windows.get(operation) ?? { second: 0, requests: 0 };
    this.#windows.set(account, windows);
    windows.set(operation, window);
    return window;
  }

  clear(): void {
    this.#windows.clear();
  }
}
