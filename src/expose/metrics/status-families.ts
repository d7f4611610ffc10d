/** The metrics of the daemon's state: build, cycles, storage, configuration, cluster. */
import {
  countConfigurations,
  membersHeard,
  type ClusterStatus,
} from '../../model/cluster-status.ts';
import { families, samplesBy, seconds } from '../../model/metric-family.ts';
import type { BuildInfo, MonitorStatus } from '../../model/monitor-status.ts';

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
    'Records whose last save failed; the next save of each tries again.',
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
