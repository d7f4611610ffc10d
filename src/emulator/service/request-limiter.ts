/** The rate limit of the emulated service. `dispatch.ts` counts every authenticated request. */
import { check } from '../protocol/service-error.ts';

/** Counts requests in whole seconds. Refused requests count too (docs/service.md, section 10). */
export class RequestLimiter {
  /** The second whose requests are counted, since the Unix epoch. */
  #second = 0;
  /** How many requests each key had in this second. */
  readonly #requests = new Map<string, number>();

  /**
   * Counts one request.
   *
   * @param limitKey requests with the same key share a limit: operation, gateway, account and caller
   * @throws ServiceError `RequestLimitExceeded` when the key has more than `perSecond` requests in this second
   */
  countRequest(limitKey: string, perSecond: number, nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) this.#requests.clear();
    this.#second = second;
    const requests = (this.#requests.get(limitKey) ?? 0) + 1;
    this.#requests.set(limitKey, requests);
    const message = `Your current request times equals to \`${requests}\` in a second, which exceeds the frequency limit \`${perSecond}\` for a second. Please reduce the frequency of calls.`;
    check(requests <= perSecond, 'RequestLimitExceeded', message);
  }
}
