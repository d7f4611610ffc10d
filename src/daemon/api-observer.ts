/**
 * Counts the requests to the service for the metrics, and logs what an operator should know of them. The daemon creates
 * one. `api/` and `credentials/sources.ts` report to its observer, and `current-plan.ts` says what to count.
 */
import type { ApiObserver } from '../api/observer.ts';
import type { ProcessMetrics } from '../expose/metrics/monitor-metrics.ts';
import { firstTexts } from '../expose/text.ts';
import type { Logger } from '../log.ts';
import { newRequestCount, type RequestCount } from '../model/monitor-status.ts';
import { failureLabel } from '../model/record.ts';
import { english } from '../model/texts/texts.ts';

/** Account and operation. */
type Call = RequestCount['labels'];

/** Maximum number of accounts that a log line names. */
const maxNamed = 10;

export type RequestCounts = ReturnType<typeof createRequestCounts>;

/** Creates the counts, and the observer that adds to them. Requests of STS count for the first account that uses the keys. */
export function createRequestCounts(
  { observeRequest }: Pick<ProcessMetrics, 'observeRequest'>,
  logger: Logger,
) {
  /** By account, then by operation. Its accounts are those of the plan. */
  const counts = new Map<string, Map<string, RequestCount>>();
  /** The codes that label failures. Further ones count as `Other`: see {@link failureLabel}. */
  const codes = new Set<string>();

  /** The count of an account's operation. Adds it at 0 if it is new. */
  const countOf = ({ account, operation }: Call) => {
    const ofAccount = counts.get(account) ?? new Map<string, RequestCount>();
    const count = ofAccount.get(operation) ?? newRequestCount({ account, operation });
    counts.set(account, ofAccount.set(operation, count));
    return count;
  };
  /** `undefined` for an account that is not configured any more: a late answer must not bring its counts back. */
  const configuredCountOf = (call: Call) => (counts.has(call.account) ? countOf(call) : undefined);
  const countCode = (byCode: Map<string, number>, code: string) => {
    const label = failureLabel(code, codes);
    codes.add(label);
    byCode.set(label, (byCode.get(label) ?? 0) + 1);
  };

  const observer: ApiObserver = {
    requestFinished: (request) => {
      observeRequest(request.operation, request.durationMs);
      const count = configuredCountOf(request);
      if (count === undefined) return;
      count.requests += 1;
      count.waitSeconds += request.waitMs / 1_000;
      if (request.code !== null) countCode(count.errors, request.code);
    },
    retried: (request) => {
      const count = configuredCountOf(request);
      if (count !== undefined) countCode(count.retries, request.code);
    },
    clockCorrected: ({ account, correctionMs }) => {
      const fields = { account, correction_seconds: Math.round(correctionMs / 1_000) };
      logger.warn("requests are signed with the service's time: check the clock", fields);
    },
    credentialsChanged: ({ accounts, reason, type }) => {
      const names = firstTexts(accounts, maxNamed, english).join(' ');
      if (reason === null) logger.info('credentials recovered', { accounts: names });
      else logger.warn('credentials fail', { accounts: names, type, reason });
    },
  };
  return {
    observer,
    /** Every count, for the metrics. The objects go on counting. */
    all: (): readonly Readonly<RequestCount>[] =>
      [...counts.values()].flatMap((ofAccount) => [...ofAccount.values()]),
    /**
     * Follows a new plan. Adds the counts of its calls at 0, so that `increase()` sees the first request. Removes the counts of
     * all other accounts, whose requests then count no more.
     */
    follow: (accounts: readonly string[], calls: readonly Call[]) => {
      const kept = new Set(accounts);
      for (const account of counts.keys()) if (!kept.has(account)) counts.delete(account);
      for (const call of calls) countOf(call);
    },
  };
}
