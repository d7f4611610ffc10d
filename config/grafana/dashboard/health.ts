/** The health of targets, of the service's API, and of the daemon. It shows whether the figures are reliable. */
import { BigValueTextMode } from '@grafana/grafana-foundation-sdk/common';
import {
  anyIsBadSteps,
  collapsedRow,
  durationColumn,
  graphPanel,
  placeColumns,
  plainSteps,
  statPanel,
  tablePanel,
  textColumn,
  timeColumn,
  yesOrNo,
} from './panels.ts';
import {
  accountLabels,
  daemonLabels,
  legendOfAccount,
  legendOfDaemon,
  now,
  ofAccount,
  ofDaemon,
  overTime,
  regional,
  rows,
  targetLabels,
} from './queries.ts';

function increaseBy(label: string, counter: string, selector: string): string {
  return `sum by (${label}) (increase(${counter}${selector}[15m]))`;
}

function latency(quantile: number): string {
  return `histogram_quantile(${quantile}, sum by (le) (rate(cvm_monitor_api_request_duration_seconds_bucket${ofDaemon}[15m])))`;
}

const daemonStats = [
  statPanel({
    title: 'Version',
    description: 'The version of each daemon.',
    span: 6,
    unit: 'short',
    steps: plainSteps,
    targets: [
      now(`cvm_monitor_build_info${ofDaemon}`, `${legendOfDaemon} {{version}} {{revision}}`),
    ],
  }).textMode(BigValueTextMode.Name),
  statPanel({
    title: 'Next cycle',
    description: 'When the next cycle begins.',
    span: 4,
    unit: 'dateTimeFromNow',
    steps: plainSteps,
    targets: [now(`min(cvm_monitor_next_cycle_timestamp_seconds${ofDaemon}) * 1000`, 'next cycle')],
  }),
  statPanel({
    title: 'Last cycle took',
    description: 'If a cycle takes longer than the interval of the schedule, cycles are skipped.',
    span: 4,
    unit: 's',
    steps: plainSteps,
    targets: [now(`max(cvm_monitor_last_cycle_duration_seconds${ofDaemon})`, 'last cycle')],
  }),
  statPanel({
    title: 'Saves that failed',
    description: 'Within the time range. Changes count when they are saved.',
    span: 5,
    unit: 'short',
    steps: anyIsBadSteps,
    targets: [
      now(
        `sum(round(increase(cvm_monitor_state_write_failures_total${ofDaemon}[$__range])))`,
        'failures',
      ),
    ],
  }),
  statPanel({
    title: 'Configuration in force',
    description: 'Whether the last reload succeeded.',
    span: 5,
    unit: 'short',
    steps: plainSteps,
    mappings: [yesOrNo],
    targets: [now(`min(cvm_monitor_config_last_reload_successful${ofDaemon})`, 'reloaded')],
  }),
];

const targetTable = tablePanel({
  title: 'Targets',
  description: 'The targets, whether the last poll succeeded, and how old the figures are.',
  span: 24,
  targets: [
    rows('Up', `max by (${targetLabels}) (cvm_monitor_target_up${regional})`),
    rows(
      'Success',
      `max by (${targetLabels}) (cvm_monitor_target_last_success_timestamp_seconds${regional}) * 1000`,
    ),
    rows(
      'Poll',
      `max by (${targetLabels}) (cvm_monitor_target_last_poll_timestamp_seconds${regional}) * 1000`,
    ),
    rows(
      'Duration',
      `max by (${targetLabels}) (cvm_monitor_target_last_poll_duration_seconds${regional})`,
    ),
  ],
  columns: [
    ...placeColumns,
    { field: 'account', heading: 'Account' },
    { field: 'region', heading: 'Region' },
    { field: 'operation', heading: 'Operation' },
    { field: 'template_id', heading: 'Launch template' },
    {
      field: 'Value #Up',
      heading: 'Up',
      properties: textColumn(yesOrNo),
    },
    { field: 'Value #Success', heading: 'Last success', properties: timeColumn },
    { field: 'Value #Poll', heading: 'Last poll', properties: timeColumn },
    { field: 'Value #Duration', heading: 'Poll took', properties: durationColumn },
  ],
  sortBy: { heading: 'Up', descending: false },
});

const credentialsTable = tablePanel({
  title: 'End of temporary credentials',
  description:
    'They are renewed 5 minutes before their end. Empty for credentials that do not end.',
  span: 24,
  targets: [
    rows(
      'End',
      `min by (${accountLabels}) (cvm_monitor_credentials_expiry_timestamp_seconds${ofAccount}) * 1000`,
    ),
    rows(
      'Failures',
      `sum by (${accountLabels}) (round(increase(cvm_monitor_credentials_failures_total${ofAccount}[1h])))`,
    ),
  ],
  columns: [
    ...placeColumns,
    { field: 'account', heading: 'Account' },
    { field: 'Value #End', heading: 'Credentials end', properties: timeColumn },
    { field: 'Value #Failures', heading: 'Failed renewals in the last hour' },
  ],
  sortBy: { heading: 'Credentials end', descending: false },
});

const graphs = [
  graphPanel({
    title: 'Polls and their failures',
    description: 'Within 15 minutes; failures by the code of the service or of the daemon.',
    span: 12,
    unit: 'short',
    targets: [
      overTime(`sum(increase(cvm_monitor_polls_total${regional}[15m]))`, 'polls'),
      overTime(increaseBy('code', 'cvm_monitor_poll_failures_total', regional), 'failed: {{code}}'),
      overTime(
        increaseBy('kind', 'cvm_monitor_response_anomalies_total', regional),
        'left out: {{kind}}',
      ),
    ],
  }),
  graphPanel({
    title: 'Requests, errors and retries',
    description: 'Within 15 minutes, by operation and by code.',
    span: 12,
    unit: 'short',
    targets: [
      overTime(
        increaseBy('operation', 'cvm_monitor_api_requests_total', ofAccount),
        '{{operation}}',
      ),
      overTime(
        increaseBy('code', 'cvm_monitor_api_request_errors_total', ofAccount),
        'error: {{code}}',
      ),
      overTime(increaseBy('code', 'cvm_monitor_api_retries_total', ofAccount), 'retry: {{code}}'),
    ],
  }),
  graphPanel({
    title: 'Duration of requests',
    description: 'One attempt each, over 15 minutes.',
    span: 8,
    unit: 's',
    targets: [overTime(latency(0.5), 'median'), overTime(latency(0.99), '99th percentile')],
  }),
  graphPanel({
    title: 'Waiting for the rate limit',
    description: 'Seconds of waiting per second, by account and operation.',
    span: 8,
    unit: 's',
    targets: [
      overTime(
        `sum by (${accountLabels}, operation) (rate(cvm_monitor_rate_limit_wait_seconds_total${ofAccount}[15m]))`,
        `${legendOfAccount} {{operation}}`,
      ),
    ],
  }),
  graphPanel({
    title: 'Cycles run and skipped',
    description:
      'Within an hour. Overlap: the previous cycle still polled some targets. Missed: the process was suspended, or no daemon of a cluster could run them.',
    span: 8,
    unit: 'short',
    targets: [
      overTime(
        `sum by (${daemonLabels}) (increase(cvm_monitor_cycles_total${ofAccount}[1h]))`,
        `${legendOfDaemon} run`,
      ),
      overTime(
        `sum by (${daemonLabels}, reason) (increase(cvm_monitor_cycles_skipped_total${ofAccount}[1h]))`,
        `${legendOfDaemon} skipped: {{reason}}`,
      ),
    ],
  }),
  graphPanel({
    title: 'Memory',
    description: 'Resident memory of the daemon.',
    span: 12,
    unit: 'bytes',
    targets: [
      overTime(
        `process_resident_memory_bytes and on (cluster, namespace, instance, job) cvm_monitor_build_info${ofDaemon}`,
        legendOfDaemon,
      ),
    ],
  }),
  graphPanel({
    title: 'Processor and event loop',
    description: 'Processor seconds per second, and how late the event loop runs.',
    span: 12,
    unit: 's',
    targets: [
      overTime(
        `rate(process_cpu_seconds_total[$__rate_interval]) and on (cluster, namespace, instance, job) cvm_monitor_build_info${ofDaemon}`,
        `${legendOfDaemon} processor`,
      ),
      overTime(
        `nodejs_eventloop_lag_p99_seconds and on (cluster, namespace, instance, job) cvm_monitor_build_info${ofDaemon}`,
        `${legendOfDaemon} event loop lag`,
      ),
    ],
  }),
];

/** Collapsed: alerts tell when it matters. */
export const health = collapsedRow('Health of the monitor', [
  ...daemonStats,
  targetTable,
  credentialsTable,
  ...graphs,
]);
