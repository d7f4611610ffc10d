import { ServiceError } from '../protocol/service-error.ts';

/**
 * Counts the requests of each operation, key and gateway in each whole second of arrival. Refused requests
 * count too (docs/service.md, section 10).
 */
export class RequestLimiter {
  #second = NaN;
  readonly #requests = new Map<string, number>();

  /**
   * Counts one request.
   *
   * @param counted what has a limit of its own, as text
   * @throws ServiceError `RequestLimitExceeded`
   */
  countRequest(counted: string, perSecond: number, nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) this.#requests.clear();
    this.#second = second;
    const requests = (this.#requests.get(counted) ?? 0) + 1;
    this.#requests.set(counted, requests);
    if (requests > perSecond) {
      throw new ServiceError(
        'RequestLimitExceeded',
        `Your current request times equals to \`${requests}\` in a second, which exceeds the frequency limit \`${perSecond}\` for a second. Please reduce the frequency of calls.`,
      );
    }
  }
}
