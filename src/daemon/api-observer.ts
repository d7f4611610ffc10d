/** Observes the requests to the service: counts them for the metrics, and logs what an operator should know. */
import type { ApiObserver } from '../api/observer.ts';
import type { ProcessMetrics } from '../expose/metrics/monitor-metrics.ts';
import { firstTexts } from '../expose/text.ts';
import type { Logger } from '../log.ts';
import { newRequestCount, type RequestCount } from '../model/monitor-status.ts';
import { failureLabel } from '../model/record.ts';
import { english } from '../model/texts/texts.ts';

type Call = RequestCount['labels'];

/** As many accounts as a log line names. */
const maxNamed = 10;

/**
 * Counts the requests of configured accounts, and logs the events that an operator should know. Requests of STS count for
 * the first account that uses the credentials.
 */
export class RequestObserver implements ApiObserver {
  /** Of each account, by operation. */
  readonly #counts = new Map<string, Map<string, RequestCount>>();
  /** The codes of failures, of which there is a bounded number. */
  readonly #codes = new Set<string>();
  readonly #durations: Pick<ProcessMetrics, 'observeRequest'>;
  readonly #logger: Logger;

  constructor(durations: Pick<ProcessMetrics, 'observeRequest'>, logger: Logger) {
    this.#durations = durations;
    this.#logger = logger;
  }

  counts(): readonly Readonly<RequestCount>[] {
    return [...this.#counts.values()].flatMap((ofAccount) => [...ofAccount.values()]);
  }

  /** Shows the counters of an account's operation, from 0 on, so that `increase()` sees the first count. */
  expect({ account, operation }: Call) {
    const ofAccount = this.#counts.get(account) ?? new Map<string, RequestCount>();
    const count = ofAccount.get(operation) ?? newRequestCount({ account, operation });
    this.#counts.set(account, ofAccount.set(operation, count));
    return count;
  }

  /** Removes all other accounts. Their requests are no longer counted. */
  keepOnly(accounts: ReadonlySet<string>): void {
    for (const account of this.#counts.keys()) {
      if (!accounts.has(account)) this.#counts.delete(account);
    }
  }

  requestFinished(request: Parameters<ApiObserver['requestFinished']>[0]): void {
    this.#durations.observeRequest(request.operation, request.durationMs);
    const count = this.#countOf(request);
    if (count === undefined) return;
    count.requests += 1;
    count.waitSeconds += request.waitMs / 1_000;
    if (request.code !== null) this.#count(count.errors, request.code);
  }

  retried(request: Parameters<ApiObserver['retried']>[0]): void {
    const count = this.#countOf(request);
    if (count !== undefined) this.#count(count.retries, request.code);
  }

  clockCorrected({ account, correctionMs }: Parameters<ApiObserver['clockCorrected']>[0]): void {
    const fields = { account, correction_seconds: Math.round(correctionMs / 1_000) };
    this.#logger.warn("requests are signed with the service's time: check the clock", fields);
  }

  credentialsChanged(event: Parameters<ApiObserver['credentialsChanged']>[0]): void {
    const { reason, type } = event;
    const accounts = firstTexts(event.accounts, maxNamed, english).join(' ');
    if (reason === null) this.#logger.info('credentials recovered', { accounts });
    else this.#logger.warn('credentials fail', { accounts, type, reason });
  }

  #countOf(call: Call) {
    return this.#counts.has(call.account) ? this.expect(call) : undefined;
  }

  #count(byCode: Map<string, number>, code: string): void {
    const known = failureLabel(code, this.#codes);
    this.#codes.add(known);
    byCode.set(known, (byCode.get(known) ?? 0) + 1);
  }
}
