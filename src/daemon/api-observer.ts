/** Observes the requests to the service: counts them for the metrics, and logs what an operator should know. */
import type { ApiObserver } from '../api/observer.ts';
import type { ProcessMetrics } from '../expose/metrics/monitor-metrics.ts';
import { firstTexts } from '../expose/text.ts';
import type { Logger } from '../log.ts';
import type { RequestCount } from '../model/monitor-status.ts';
import { failureLabel } from '../model/record.ts';
import { english } from '../model/texts/texts.ts';

type Call = RequestCount['labels'];

const newCount = (labels: Call) => ({
  labels,
  requests: 0,
  waitSeconds: 0,
  errors: new Map<string, number>(),
  retries: new Map<string, number>(),
});

/** Counts the requests of configured accounts. Those of STS count for the first account that uses the credentials. */
export class RequestCounts implements Pick<ApiObserver, 'requestFinished' | 'retried'> {
  /** Of each account, by operation. */
  readonly #counts = new Map<string, Map<string, ReturnType<typeof newCount>>>();
  /** The codes of failures, of which there is a bounded number. */
  readonly #codes = new Set<string>();

  all(): readonly RequestCount[] {
    return [...this.#counts.values()].flatMap((ofAccount) => [...ofAccount.values()]);
  }

  /** Shows the counters of an account's operation, from 0 on, so that `increase()` sees the first count. */
  expect({ account, operation }: Call) {
    const ofAccount = this.#counts.get(account) ?? new Map<string, ReturnType<typeof newCount>>();
    const count = ofAccount.get(operation) ?? newCount({ account, operation });
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

  #countOf(call: Call) {
    return this.#counts.has(call.account) ? this.expect(call) : undefined;
  }

  #count(byCode: Map<string, number>, code: string): void {
    const known = failureLabel(code, this.#codes);
    this.#codes.add(known);
    byCode.set(known, (byCode.get(known) ?? 0) + 1);
  }
}

/** As many accounts as a log line names. */
const maxNamed = 10;

/** Counts the events of the clients, and logs those that an operator should know. */
export function createApiObserver(
  processMetrics: ProcessMetrics,
  counts: RequestCounts,
  logger: Logger,
): ApiObserver {
  return {
    requestFinished: (event) => {
      processMetrics.observeRequest(event.operation, event.durationMs);
      counts.requestFinished(event);
    },
    retried: (event) => {
      counts.retried(event);
    },
    clockCorrected: ({ account, correctionMs }) => {
      const fields = { account, correction_seconds: Math.round(correctionMs / 1_000) };
      logger.warn("requests are signed with the service's time: check the clock", fields);
    },
    credentialsChanged: ({ accounts, type, reason }) => {
      const named = firstTexts(accounts, maxNamed, english).join(' ');
      if (reason === null) logger.info('credentials recovered', { accounts: named });
      else logger.warn('credentials fail', { accounts: named, type, reason });
    },
  };
}
