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

/** The counts of requests, and the observer that counts them. */
export type RequestCounts = ReturnType<typeof createRequestCounts>;

/**
 * Counts the requests of configured accounts, and logs the events that an operator should know. Requests of STS count for
 * the first account that uses the credentials.
 */
export function createRequestCounts(
  { observeRequest }: Pick<ProcessMetrics, 'observeRequest'>,
  logger: Logger,
) {
  /** Of each account, by operation. */
  const counts = new Map<string, Map<string, RequestCount>>();
  /** The codes of failures, of which there is a bounded number. */
  const codes = new Set<string>();

  /** The count of an account's operation, which begins at 0. */
  const countOf = ({ account, operation }: Call) => {
    const ofAccount = counts.get(account) ?? new Map<string, RequestCount>();
    const count = ofAccount.get(operation) ?? newRequestCount({ account, operation });
    counts.set(account, ofAccount.set(operation, count));
    return count;
  };
  /** `undefined` for an account that is not configured any more. */
  const shownCountOf = (call: Call) => (counts.has(call.account) ? countOf(call) : undefined);
  const countCode = (byCode: Map<string, number>, code: string) => {
    const known = failureLabel(code, codes);
    codes.add(known);
    byCode.set(known, (byCode.get(known) ?? 0) + 1);
  };

  const observer: ApiObserver = {
    requestFinished: (request) => {
      observeRequest(request.operation, request.durationMs);
      const count = shownCountOf(request);
      if (count === undefined) return;
      count.requests += 1;
      count.waitSeconds += request.waitMs / 1_000;
      if (request.code !== null) countCode(count.errors, request.code);
    },
    retried: (request) => {
      const count = shownCountOf(request);
      if (count !== undefined) countCode(count.retries, request.code);
    },
    clockCorrected: ({ account, correctionMs }) => {
      const fields = { account, correction_seconds: Math.round(correctionMs / 1_000) };
      logger.warn("requests are signed with the service's time: check the clock", fields);
    },
    credentialsChanged: ({ accounts: all, reason, type }) => {
      const accounts = firstTexts(all, maxNamed, english).join(' ');
      if (reason === null) logger.info('credentials recovered', { accounts });
      else logger.warn('credentials fail', { accounts, type, reason });
    },
  };
  return {
    observer,
    all: (): readonly Readonly<RequestCount>[] =>
      [...counts.values()].flatMap((ofAccount) => [...ofAccount.values()]),
    /**
     * Shows the counters of calls from 0 on, so that `increase()` sees the first count. Removes those of all other accounts:
     * their requests are no longer counted.
     */
    follow: (accounts: readonly string[], calls: readonly Call[]) => {
      for (const account of counts.keys()) if (!accounts.includes(account)) counts.delete(account);
      for (const call of calls) countOf(call);
    },
  };
}
