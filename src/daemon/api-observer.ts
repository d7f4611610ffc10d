import type { ApiObserver } from '../api/observer.ts';
import type { MonitorMetrics } from '../expose/metrics/monitor-metrics.ts';
import type { Logger } from '../logging/logger.ts';

/** Counts the events of the clients, and logs corrections of the time for signatures. */
export function createApiObserver(metrics: MonitorMetrics, logger: Logger): ApiObserver {
  return {
    requestFinished: (event) => {
      metrics.requestFinished(event);
    },
    retried: (event) => {
      metrics.retried(event);
    },
    rateLimitWaited: (event) => {
      metrics.rateLimitWaited(event);
    },
    clockCorrected: ({ account, correctionMs }) => {
      const fields = { account, correction_seconds: Math.round(correctionMs / 1_000) };
      logger.warn("requests are signed with the service's time: check the clock", fields);
    },
  };
}
