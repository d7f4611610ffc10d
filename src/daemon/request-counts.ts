import type { ApiObserver } from '../api/observer.ts';
import type { RequestCount } from '../model/monitor-status.ts';
import { boundedCode } from '../model/record.ts';

type Call = RequestCount['labels'];

const newCount = ({ account, operation }: Call) => ({
  labels: { account, operation },
  requests: 0,
  waitSeconds: 0,
  errors: new Map<string, number>(),
  retries: new Map<string, number>(),
});

const keyOf = ({ account, operation }: Call) => `${account} ${operation}`;

/** Counts the requests that are expected, as the client tells them to its observer. */
export class RequestCounts implements Pick<ApiObserver, 'requestFinished' | 'retried'> {
  readonly #counts = new Map<string, ReturnType<typeof newCount>>();
  /** The codes of failures, of which there is a bounded number. */
  readonly #codes = new Set<string>();

  all(): readonly RequestCount[] {
    return [...this.#counts.values()];
  }

  /** Shows the counters of an account's operation, from 0 on, so that `increase()` sees the first count. */
  expect(call: Call): void {
    const key = keyOf(call);
    if (!this.#counts.has(key)) this.#counts.set(key, newCount(call));
  }

  /** Removes all other accounts. Their requests are no longer counted. */
  keepOnly(accounts: ReadonlySet<string>): void {
    for (const [key, { labels }] of this.#counts) {
      if (!accounts.has(labels.account)) this.#counts.delete(key);
    }
  }

  requestFinished(request: Parameters<ApiObserver['requestFinished']>[0]): void {
    const count = this.#counts.get(keyOf(request));
    if (count === undefined) return;
    count.requests += 1;
    count.waitSeconds += request.waitMs / 1_000;
    if (request.code !== null) this.#count(count.errors, request.code);
  }

  retried(request: Parameters<ApiObserver['retried']>[0]): void {
    const count = this.#counts.get(keyOf(request));
    if (count !== undefined) this.#count(count.retries, request.code);
  }

  #count(byCode: Map<string, number>, code: string): void {
    const known = boundedCode(code, this.#codes);
    this.#codes.add(known);
    byCode.set(known, (byCode.get(known) ?? 0) + 1);
  }
}
