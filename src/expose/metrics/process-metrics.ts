/** The metrics that prom-client keeps: how long requests to the service took, and Node.js and its process. */
import { Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { ExpositionFormat } from './text-format.ts';

export type ProcessMetrics = ReturnType<typeof createProcessMetrics>;

/** The daemon creates them once: the defaults of prom-client keep watching the process. */
export function createProcessMetrics() {
  const registry = new Registry();
  const durations = new Histogram({
    name: 'cvm_monitor_api_request_duration_seconds',
    help: 'How long the service took to answer one request.',
    labelNames: ['operation'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  collectDefaultMetrics({ register: registry });
  // These gauges end in `_total`, which is for counters. The families without `_total` hold their sums.
  for (const what of ['handles', 'requests', 'resources']) {
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  }
  return {
    registry,
    /** Adds one answered request to the histogram of its operation. */
    observeRequest: (operation: string, durationMs: number) => {
      durations.observe({ operation }, durationMs / 1_000);
    },
    /**
     * The exposition of these metrics, without an end. OpenMetrics is made from the Prometheus text: prom-client's own
     * OpenMetrics rendering renames the counters of a registry permanently, so one registry cannot have both formats.
     */
    text: async (format: ExpositionFormat): Promise<string> => {
      const text = (await registry.metrics()).replaceAll('\n\n', '\n');
      if (format === 'prometheus') return text;
      return text.replaceAll(/^(# (?:HELP|TYPE) \w+)_total /gm, '$1 ');
    },
  };
}
