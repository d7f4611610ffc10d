/** The metrics of the monitor itself: its state, its requests to the service, its cluster and its process. */
import { Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import {
  countConfigurations,
  membersHeard,
  type ClusterStatus,
} from '../../model/cluster-status.ts';
import { families, samplesBy, seconds, type FamilyOf } from '../../model/metric-family.ts';
import type { ApiStatus, BuildInfo, MonitorStatus } from '../../model/monitor-status.ts';
import { labelsByAccount } from '../../model/target.ts';
import type { MonitorView } from '../monitor-view.ts';
import { familySamples, type ExpositionFormat, type FamilySamples } from './text-format.ts';

/** A sample for each account, with the label `account`. */
function byAccount<T>(values: ReadonlyMap<string, T>, valueOf: (value: T) => number | null) {
  return [...values].map(([account, value]) => ({ labels: { account }, value: valueOf(value) }));
}

export const buildFamilies = families<BuildInfo>({
  cvm_monitor_build_info: [
    'Always 1; the labels show what is running.',
    (build) => [{ labels: { ...build, node_version: process.version }, value: 1 }],
  ],
});

export const linksFamilies = families<Pick<MonitorView, 'links' | 'statusPage'>>({
  cvm_monitor_links_info: [
    'Always 1; status_page is --web.external-url, absent without it; runbooks is `links.runbooks` of the configuration, by default the runbooks of this version.',
    (view) => {
      const runbooks = view.links().runbooks?.replace(/\/$/, '') ?? null;
      return [{ labels: { status_page: view.statusPage, runbooks }, value: 1 }];
    },
  ],
});

export const statusFamilies = families<MonitorStatus>({
  cvm_monitor_cycles_total: [
    'Cycles of an account that ran to their end.',
    ({ cycles }) => byAccount(cycles, ({ completed }) => completed),
  ],
  cvm_monitor_cycles_skipped_total: [
    'Cycles of an account that polled only some targets, because the previous cycle had not ended (overlap), or none, because the process was suspended, the clock was set forward, or no daemon of a cluster could run them (missed).',
    ({ cycles }) =>
      [...cycles].flatMap(([account, { skipped }]) =>
        samplesBy('reason', Object.entries(skipped), { account }),
      ),
  ],
  cvm_monitor_last_cycle_duration_seconds: [
    'How long the last cycle of an account took; absent before the first ended.',
    ({ cycles }) => byAccount(cycles, ({ lastDurationMs }) => seconds(lastDurationMs)),
  ],
  cvm_monitor_regions_left_out: [
    'Regions that discovery found and that are not watched, because they do not offer an operation.',
    ({ leftOut }) => byAccount(leftOut, (regions) => regions.length),
  ],
  cvm_monitor_next_cycle_timestamp_seconds: [
    'When the schedule begins the next cycle, since the Unix epoch; jitter comes on top.',
    ({ nextCycleMs }) => seconds(nextCycleMs),
  ],
  cvm_monitor_state_write_failures_total: [
    'Saves of records that failed.',
    ({ storage }) => storage.failures,
  ],
  cvm_monitor_state_unwritten_records: [
    'Records of present targets whose last save failed; the next save of each tries again.',
    ({ storage }) => storage.unwritten,
  ],
  cvm_monitor_state_damaged_files_total: [
    'Stored records that could not be used; each was moved aside, and its target starts again.',
    ({ storage }) => storage.damaged,
  ],
  cvm_monitor_config_last_reload_successful: [
    'Whether the last load of the configuration succeeded: 1 or 0.',
    ({ reload }) => Number(reload.problem === null),
  ],
  cvm_monitor_config_last_reload_success_timestamp_seconds: [
    'When the configuration was last loaded with success, since the Unix epoch.',
    ({ reload }) => seconds(reload.successMs),
  ],
  cvm_monitor_web_config_last_reload_successful: [
    'Whether the last reading of the web configuration succeeded: 1 or 0; absent without --web.config.file.',
    ({ webConfig }) => webConfig && Number(webConfig.problem === null),
  ],
  cvm_monitor_web_config_last_reload_success_timestamp_seconds: [
    'When a web configuration was last put in force, since the Unix epoch; absent without --web.config.file.',
    ({ webConfig }) => seconds(webConfig?.successMs),
  ],
});

/** Absent for one daemon alone. */
export const clusterFamilies = families<ClusterStatus>({
  cvm_monitor_cluster_members: [
    'Daemons of the cluster that were heard of within the time of the lock.',
    (status) => membersHeard(status).length,
  ],
  cvm_monitor_cluster_configurations: [
    'How many different configurations these daemons have; 1 is right.',
    (status) => countConfigurations(membersHeard(status)),
  ],
  cvm_monitor_cluster_oldest_waiting_cycle_timestamp_seconds: [
    'When the oldest cycle was due that no daemon has begun; absent when none waits.',
    ({ accounts }) => {
      const waiting = accounts().flatMap(({ waitingSinceMs }) => waitingSinceMs ?? []);
      return waiting.length === 0 ? null : Math.min(...waiting) / 1_000;
    },
  ],
  cvm_monitor_cluster_store_up: [
    'Whether Redis could be read and written the last time.',
    ({ problem }) => Number(problem === null),
  ],
  cvm_monitor_cluster_cycles_taken_over_total: [
    'Cycles that this daemon took over from another one that did not end them.',
    ({ takenOver }) => takenOver,
  ],
});

/** The requests to the service, and the clients that send them. */
export const apiFamilies = families<ApiStatus>({
  cvm_monitor_api_requests_total: [
    'Requests sent to the service, with retries; those of STS count for the first account that uses the credentials.',
    ({ requests: all }) => all.map(({ labels, requests }) => ({ labels, value: requests })),
  ],
  cvm_monitor_api_request_errors_total: [
    "Requests that failed, by the service's error code or a code of the monitor.",
    ({ requests }) => requests.flatMap(({ errors, labels }) => samplesBy('code', errors, labels)),
  ],
  cvm_monitor_api_retries_total: [
    'Requests that were tried again, by the code of the previous failure.',
    ({ requests }) => requests.flatMap(({ labels, retries }) => samplesBy('code', retries, labels)),
  ],
  cvm_monitor_rate_limit_wait_seconds_total: [
    'How long requests waited for the rate limit of the monitor.',
    ({ requests }) => requests.map(({ labels, waitSeconds }) => ({ labels, value: waitSeconds })),
  ],
  cvm_monitor_rate_limit_requests_per_second: [
    'The present rate limit of the monitor: at most the configured one, lower while the service throttles.',
    ({ rates }) => rates,
  ],
  cvm_monitor_clock_skew_seconds: [
    "How far this machine's clock is ahead of the service's, by the Date header of its last answer; negative when it is behind.",
    ({ clockSkews }) => clockSkews,
  ],
  cvm_monitor_credentials_expiry_timestamp_seconds: [
    'When the temporary credentials of the account end, since the Unix epoch; absent for credentials that do not end.',
    ({ credentialsExpiries }) => credentialsExpiries,
  ],
  cvm_monitor_credentials_failures_total: [
    'How often credentials of the account could not be read or fetched, by their type; for a role, that of its source, too.',
    ({ credentialsFailures }) => credentialsFailures,
  ],
});

/** The samples of all families above. Those with the label `account` get the labels of this account. */
export function monitorSamples(view: MonitorView): FamilySamples[] {
  const labelsOf = labelsByAccount(view.accounts());
  const samplesOf = <Source>(all: readonly FamilyOf<Source>[], source: Source) => {
    const labelled = all.map((family) => ({
      ...family,
      samples: (from: Source) =>
        family.samples(from).map(({ labels, value }) => ({
          labels: { ...labels, ...labelsOf.get(String(labels['account'] ?? '')) },
          value,
        })),
    }));
    return familySamples(labelled, source);
  };
  const cluster = view.cluster();
  return [
    ...samplesOf(buildFamilies, view.build),
    ...samplesOf(linksFamilies, view),
    ...samplesOf(statusFamilies, view.status()),
    ...(cluster === null ? [] : samplesOf(clusterFamilies, cluster)),
    ...samplesOf(apiFamilies, view.api()),
  ];
}

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
     * The exposition of these metrics, without the final `# EOF`. OpenMetrics is made from the Prometheus text: prom-client's own
     * OpenMetrics rendering renames the counters of a registry permanently, so one registry cannot have both formats.
     */
    text: async (format: ExpositionFormat): Promise<string> => {
      const text = (await registry.metrics()).replaceAll('\n\n', '\n');
      if (format === 'prometheus') return text;
      return text.replaceAll(/^(# (?:HELP|TYPE) \w+)_total /gm, '$1 ');
    },
  };
}
