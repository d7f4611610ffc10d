/** Whether the figures above can be trusted: targets, the service's API, and the daemon itself. */
import { BigValueTextMode, TableCellDisplayMode } from '@grafana/grafana-foundation-sdk/common';
import { MappingType, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Threshold, ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import {
  anyIsBadSteps,
  durationColumn,
  graphPanel,
  statPanel,
  tablePanel,
  timeColumn,
} from './panels.ts';
import type { Section } from './panels.ts';
import { now, ofAccount, overTime, regional, rows, targetLabels } from './queries.ts';

const plainSteps: readonly Threshold[] = [{ value: null, color: 'text' }];
const yesOrNo: ValueMapping = {
  type: MappingType.ValueToText,
  options: { '0': { text: 'no', color: 'red' }, '1': { text: 'yes', color: 'green' } },
};

function increaseBy(label: string, counter: string, selector: string): string {
  return `sum by (${label}) (increase(${counter}${selector}[15m]))`;
}

function latency(quantile: number): string {
  return `histogram_quantile(${quantile}, sum by (le) (rate(cvm_monitor_api_request_duration_seconds_bucket[15m])))`;
}

const daemonStats = [
  statPanel({
    title: 'Version',
    description: 'What runs where.',
    span: 6,
    unit: 'short',
    steps: plainSteps,
    targets: [now('cvm_monitor_build_info', '{{instance}} {{version}} {{revision}}')],
  }).textMode(BigValueTextMode.Name),
  statPanel({
    title: 'Next cycle',
    description: 'When polling begins next.',
    span: 4,
    unit: 'dateTimeFromNow',
    steps: plainSteps,
    targets: [now('min(cvm_monitor_next_cycle_timestamp_seconds) * 1000', 'next cycle')],
  }),
  statPanel({
    title: 'Last cycle took',
    description: 'Longer than the schedule means cycles are skipped.',
    span: 4,
    unit: 's',
    steps: plainSteps,
    targets: [now('max(cvm_monitor_last_cycle_duration_seconds)', 'last cycle')],
  }),
  statPanel({
    title: 'State write failures',
    description: 'Within the time range. What is not written is lost at a restart.',
    span: 5,
    unit: 'short',
    steps: anyIsBadSteps,
    targets: [
      now('sum(round(increase(cvm_monitor_state_write_failures_total[$__range])))', 'failures'),
    ],
  }),
  statPanel({
    title: 'Configuration in force',
    description: 'Whether the last reload succeeded.',
    span: 5,
    unit: 'short',
    steps: plainSteps,
    mappings: [yesOrNo],
    targets: [now('min(cvm_monitor_config_last_reload_successful)', 'reloaded')],
  }),
];

const targetTable = tablePanel({
  title: 'Targets',
  description: 'What is polled, whether the last poll succeeded, and how old the figures are.',
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
    { field: 'account', heading: 'Account' },
    { field: 'region', heading: 'Region' },
    { field: 'operation', heading: 'Operation' },
    { field: 'template_id', heading: 'Launch template' },
    {
      field: 'Value #Up',
      heading: 'Up',
      properties: [
        { id: 'mappings', value: [yesOrNo] },
        { id: 'custom.cellOptions', value: { type: TableCellDisplayMode.ColorText } },
      ],
    },
    { field: 'Value #Success', heading: 'Last success', properties: timeColumn },
    { field: 'Value #Poll', heading: 'Last poll', properties: timeColumn },
    { field: 'Value #Duration', heading: 'Poll took', properties: durationColumn },
  ],
  sortBy: { heading: 'Up', descending: false },
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
        `sum by (account, operation) (rate(cvm_monitor_rate_limit_wait_seconds_total${ofAccount}[15m]))`,
        '{{account}} {{operation}}',
      ),
    ],
  }),
  graphPanel({
    title: 'Cycles run and skipped',
    description:
      'Within an hour. Overlap: the cycle before still polled some targets. Missed: the daemon slept.',
    span: 8,
    unit: 'short',
    targets: [
      overTime('sum by (instance) (increase(cvm_monitor_cycles_total[1h]))', '{{instance}} run'),
      overTime(
        'sum by (instance, reason) (increase(cvm_monitor_cycles_skipped_total[1h]))',
        '{{instance}} skipped: {{reason}}',
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
        'process_resident_memory_bytes and on (instance, job) cvm_monitor_build_info',
        '{{instance}}',
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
        'rate(process_cpu_seconds_total[$__rate_interval]) and on (instance, job) cvm_monitor_build_info',
        '{{instance}} processor',
      ),
      overTime(
        'nodejs_eventloop_lag_p99_seconds and on (instance, job) cvm_monitor_build_info',
        '{{instance}} event loop lag',
      ),
    ],
  }),
];

export const health: Section = {
  row: new RowBuilder('Health of the monitor'),
  panels: [...daemonStats, targetTable, ...graphs],
};
