import type { ApiObserver } from '../api/observer.ts';
import type { MeasuredMetrics } from '../expose/metrics/process-metrics.ts';
import type { Logger } from '../log.ts';
import type { RequestCounts } from './request-counts.ts';

/** As many accounts as a log line names. */
const maxNamed = 10;

/** Counts the events of the clients, and logs those that an operator should know. */
export function createApiObserver(
  measured: MeasuredMetrics,
  counts: RequestCounts,
  logger: Logger,
): ApiObserver {
  return {
    requestFinished: (event) => {
      measured.requestTook(event.operation, event.durationMs);
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
      const named = listed(accounts);
      if (reason === null) logger.info('credentials recovered', { accounts: named });
      else logger.warn('credentials fail', { accounts: named, type, reason });
    },
  };
}

function listed(accounts: readonly string[]): string {
  const named = accounts.slice(0, maxNamed).join(' ');
  const others = accounts.length - maxNamed;
  return others > 0 ? `${named} and ${others} more` : named;
}
