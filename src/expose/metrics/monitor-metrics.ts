/**
 * The metrics of the monitor itself: its state, its requests to the service, its cluster and its process. `exposition.ts`
 * puts them after the metrics of the records.
 */
import { Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import {
  countConfigurations,
  membersHeard,
  type ClusterStatus,
} from '../../model/cluster-status.ts';
import { samplesBy, seconds } from '../../model/metric-family.ts';
import type { ApiStatus, MonitorStatus } from '../../model/monitor-status.ts';
import { labelsByAccount } from '../../model/target.ts';
import type { MonitorView } from '../monitor-view.ts';
import { describedFamilies, type Families } from './described-families.ts';
import help from './help.json' with { type: 'json' };
import { familySamples, type ExpositionFormat, type FamilySamples } from './text-format.ts';

/** A sample for each account, with the label `account`. A value that is `null` is left out. */
function byAccount<T>(values: ReadonlyMap<string, T>, valueOf: (value: T) => number | null) {
  return [...values].map(([account, value]) => ({ labels: { account }, value: valueOf(value) }));
}

/** Which version runs, and the links to the status page and the runbooks. */
export const programFamilies: Families<MonitorView> = describedFamilies(help.program, {
  cvm_monitor_build_info: ({ build }) => [
    { labels: { ...build, node_version: process.version }, value: 1 },
  ],
  cvm_monitor_links_info: (view) => {
    const runbooks = view.links().runbooks?.replace(/\/$/, '') ?? null;
    return [{ labels: { status_page: view.statusPage, runbooks }, value: 1 }];
  },
});

/** Cycles, storage, and reloads of the configuration and the web configuration. */
export const statusFamilies: Families<MonitorStatus> = describedFamilies(help.status, {
  cvm_monitor_cycles_total: ({ cycles }) => byAccount(cycles, ({ completed }) => completed),
  cvm_monitor_cycles_skipped_total: ({ cycles }) =>
    [...cycles].flatMap(([account, { skipped }]) =>
      samplesBy('reason', Object.entries(skipped), { account }),
    ),
  cvm_monitor_last_cycle_duration_seconds: ({ cycles }) =>
    byAccount(cycles, ({ lastDurationMs }) => seconds(lastDurationMs)),
  cvm_monitor_regions_left_out: ({ leftOut }) => byAccount(leftOut, (regions) => regions.length),
  cvm_monitor_next_cycle_timestamp_seconds: ({ nextCycleMs }) => seconds(nextCycleMs),
  cvm_monitor_state_write_failures_total: ({ storage }) => storage.failures,
  cvm_monitor_state_unwritten_records: ({ storage }) => storage.unwritten,
  cvm_monitor_state_damaged_files_total: ({ storage }) => storage.damaged,
  cvm_monitor_config_last_reload_successful: ({ reload }) => Number(reload.problem === null),
  cvm_monitor_config_last_reload_success_timestamp_seconds: ({ reload }) =>
    seconds(reload.successMs),
  cvm_monitor_web_config_last_reload_successful: ({ webConfig }) =>
    webConfig && Number(webConfig.problem === null),
  cvm_monitor_web_config_last_reload_success_timestamp_seconds: ({ webConfig }) =>
    seconds(webConfig?.successMs),
});

/** Members, waiting cycles and store of the cluster. One daemon alone has none of these metrics. */
export const clusterFamilies: Families<ClusterStatus> = describedFamilies(help.cluster, {
  cvm_monitor_cluster_members: (status) => membersHeard(status).length,
  cvm_monitor_cluster_configurations: (status) => countConfigurations(membersHeard(status)),
  cvm_monitor_cluster_oldest_waiting_cycle_timestamp_seconds: ({ accounts }) => {
    const waiting = accounts().flatMap(({ waitingSinceMs }) => waitingSinceMs ?? []);
    return waiting.length === 0 ? null : Math.min(...waiting) / 1_000;
  },
  cvm_monitor_cluster_store_up: ({ problem }) => Number(problem === null),
  cvm_monitor_cluster_cycles_taken_over_total: ({ takenOver }) => takenOver,
});

/** The requests to the service, and the clients that send them. */
export const apiFamilies: Families<ApiStatus> = describedFamilies(help.api, {
  cvm_monitor_api_requests_total: ({ requests: counts }) =>
    counts.map(({ labels, requests }) => ({ labels, value: requests })),
  cvm_monitor_api_request_errors_total: ({ requests }) =>
    requests.flatMap(({ errors, labels }) => samplesBy('code', errors, labels)),
  cvm_monitor_api_retries_total: ({ requests }) =>
    requests.flatMap(({ labels, retries }) => samplesBy('code', retries, labels)),
  cvm_monitor_rate_limit_wait_seconds_total: ({ requests }) =>
    requests.map(({ labels, waitSeconds }) => ({ labels, value: waitSeconds })),
  cvm_monitor_rate_limit_requests_per_second: ({ rates }) => rates,
  cvm_monitor_clock_skew_seconds: ({ clockSkews }) => clockSkews,
  cvm_monitor_credentials_expiry_timestamp_seconds: ({ credentialsExpiries }) =>
    credentialsExpiries,
  cvm_monitor_credentials_failures_total: ({ credentialsFailures }) => credentialsFailures,
});

/** The samples of all families above. Samples with the label `account` get the configured labels of that account. */
export function monitorSamples(view: MonitorView): FamilySamples[] {
  const labelsOf = labelsByAccount(view.accounts());
  const cluster = view.cluster();
  return [
    ...familySamples(programFamilies, view, '', labelsOf),
    ...familySamples(statusFamilies, view.status(), '', labelsOf),
    ...(cluster === null ? [] : familySamples(clusterFamilies, cluster, '', labelsOf)),
    ...familySamples(apiFamilies, view.api(), '', labelsOf),
  ];
}

export type ProcessMetrics = ReturnType<typeof createProcessMetrics>;

/** The metrics of prom-client: those of Node.js, and the histogram of requests. The daemon creates them once. */
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
    /** For the documentation. */
    registry,
    /** Adds one answered request to the histogram of its operation. */
    observeRequest: (operation: string, durationMs: number) => {
      durations.observe({ operation }, durationMs / 1_000);
    },
    /**
     * The exposition of these metrics, without the final `# EOF`. Both formats begin with the Prometheus text, because
     * prom-client's rendering of OpenMetrics would rename the counters of the registry for good.
     */
    text: async (format: ExpositionFormat): Promise<string> => {
      const text = (await registry.metrics()).replaceAll('\n\n', '\n');
      if (format === 'prometheus') return text;
      return text.replaceAll(/^(# (?:HELP|TYPE) \w+)_total /gm, '$1 ');
    },
  };
}
