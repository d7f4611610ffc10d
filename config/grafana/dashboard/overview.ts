/** Which launch fails next, the quotas that are low, and all quotas. */
import {
  MappingType,
  RowBuilder,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { alertTable } from './alerts.ts';
import {
  anyIsBadSteps,
  anyIsNewsSteps,
  durationColumn,
  linkColumn,
  placeColumns,
  plainSteps,
  remainingBars,
  remainingColumn,
  statPanel,
  tablePanel,
  textColumn,
  timeColumn,
  type Column,
  type Section,
} from './panels.ts';
import {
  activeSince,
  groupLabels,
  judged,
  launchLabels,
  legendOfPlace,
  now,
  place,
  quotaLabels,
  quotas,
  regional,
  regionalWith,
  remainingRatio,
  risesInRange,
  rows,
  targetLabels,
  templateLabels,
  timeToFull,
} from './queries.ts';

const remaining = `min by (${quotaLabels}) (cvm_quota_remaining${quotas()})`;
const limit = `min by (${quotaLabels}) (cvm_quota_limit${quotas()})`;
const remainingPerQuota = `min by (${quotaLabels}) (${remainingRatio()})`;

function countOf(condition: string): string {
  return `count(${condition}) or vector(0)`;
}

const stats = [
  statPanel({
    title: 'Quotas exhausted',
    description:
      'Quotas of which nothing remains, or more is in use than allowed. Creating more fails now.',
    span: 4,
    unit: 'short',
    steps: anyIsBadSteps,
    targets: [
      now(
        countOf(`max by (${quotaLabels}) (${judged(',reason=~"exhausted|overdrawn"')})`),
        'quotas',
      ),
    ],
  }),
  statPanel({
    title: 'Quotas critical',
    description: 'Quotas of which less remains than their critical threshold.',
    span: 4,
    unit: 'short',
    steps: anyIsBadSteps,
    targets: [
      now(countOf(`max by (${quotaLabels}) (${judged(',severity="critical"')})`), 'quotas'),
    ],
  }),
  statPanel({
    title: 'Quotas low',
    description: 'Quotas of which less remains than their warning threshold.',
    span: 4,
    unit: 'short',
    steps: anyIsNewsSteps,
    targets: [now(countOf(`max by (${quotaLabels}) (${judged()})`), 'quotas')],
  }),
  statPanel({
    title: 'Limits lowered',
    description: 'Times the service lowered a limit within the time range.',
    span: 4,
    unit: 'short',
    steps: anyIsNewsSteps,
    targets: [
      now(
        risesInRange(quotaLabels, `cvm_quota_limit_changes_total${quotas(',direction="lowered"')}`),
        'limits',
      ),
    ],
  }),
  statPanel({
    title: 'Default versions changed',
    description: 'Changes of a default version within the time range.',
    span: 4,
    unit: 'short',
    steps: anyIsNewsSteps,
    targets: [
      now(
        risesInRange(
          templateLabels,
          `cvm_launch_template_default_version_changes_total${regional}`,
        ),
        'changes',
      ),
    ],
  }),
  statPanel({
    title: 'Targets failing',
    description: 'The last poll of these targets failed. Their figures are old or absent.',
    span: 4,
    unit: 'short',
    steps: anyIsBadSteps,
    targets: [
      now(countOf(`max by (${targetLabels}) (cvm_monitor_target_up${regional}) == 0`), 'targets'),
    ],
  }),
];

const bars = [
  { level: 'account', selector: quotas() },
  { level: 'region', selector: quotas() },
  { level: 'zone', selector: quotas(',zone!=""') },
].map(({ level, selector }) =>
  remainingBars({
    title: `Least remaining by ${level}`,
    description: `The share that remains of the worst quota of each ${level}, worst first.`,
    span: 8,
    targets: [
      now(
        `sort(min by (${place}, ${level}) (${remainingRatio(selector)}))`,
        `${legendOfPlace} {{${level}}}`,
      ),
    ],
  }),
);

const statusPageLink = linkColumn(
  'Status page',
  '${page}/?account=${__data.fields.Account}&region=${__data.fields.Region}',
);
const quotaColumns: readonly Column[] = [
  ...placeColumns,
  { field: 'account', heading: 'Account', properties: statusPageLink },
  { field: 'region', heading: 'Region' },
  { field: 'zone', heading: 'Zone' },
  { field: 'quota_type', heading: 'Type' },
  { field: 'template_id', heading: 'Launch template' },
  { field: 'subnet_id', heading: 'Subnet' },
  { field: 'placement_group_id', heading: 'Placement group' },
  { field: 'unit', heading: 'Unit' },
];

const severity: ValueMapping = {
  type: MappingType.ValueToText,
  options: {
    '0': { text: 'fine', color: 'green' },
    '1': { text: 'warning', color: 'orange' },
    '2': { text: 'critical', color: 'red' },
  },
};

/** 2 for a quota that is critical, 1 for a low one, 0 for others, also muted ones. */
const severityPerQuota = `2 * max by (${quotaLabels}) (${judged(',severity="critical"')}) or max by (${quotaLabels}) (${judged()}) or 0 * ${remaining}`;

/** Labels and a value of each quota that is low. */
const ofLowQuota = (value: string) => `${value} and on (${quotaLabels}) ${judged()}`;

const lowQuotas = tablePanel({
  title: 'Quotas that are low',
  description:
    'What the daemon judges, the worst first; overdrawn and disappeared ones too. Since: how long the alert has been active.',
  span: 24,
  targets: [
    rows('Severity', `max by (${quotaLabels}, severity, reason) (${judged()})`),
    rows('Remaining', ofLowQuota(remaining)),
    rows('Limit', ofLowQuota(limit)),
    rows('TimeToFull', ofLowQuota(`min by (${quotaLabels}) (${timeToFull})`)),
    rows('Since', activeSince('CvmQuotaLow', quotaLabels)),
  ],
  columns: [
    { field: 'severity', heading: 'Severity' },
    { field: 'reason', heading: 'Reason' },
    ...quotaColumns,
    { field: 'Value #Remaining', heading: 'Remaining' },
    { field: 'Value #Limit', heading: 'Limit' },
    { field: 'Value #TimeToFull', heading: 'Time to full', properties: durationColumn },
    { field: 'Value #Since', heading: 'Since', properties: timeColumn },
  ],
  sortBy: { heading: 'Severity', descending: false },
});

const blockedLabels = `${launchLabels}, reason`;
const blocked = `max by (${blockedLabels}, severity) (cvm_launch_severity${regionalWith(',reason!="short"')})`;

const blockedLaunches = tablePanel({
  title: 'Launches that would fail next',
  description:
    'Where and why, as the daemon judges. Room: how many instances could start. Since: how long the alert has been active.',
  span: 24,
  targets: [
    rows('Blocked', blocked),
    rows(
      'Room',
      `${blocked} * on (${launchLabels}) group_left min by (${launchLabels}) (cvm_launch_headroom${regional})`,
    ),
    rows(
      'Name',
      `${blocked} * on (${launchLabels}) group_left (template_name) topk by (${launchLabels}) (1, max by (${launchLabels}, template_name) (cvm_launch_info${regional}))`,
    ),
    rows('Since', activeSince('CvmLaunchBlocked', blockedLabels)),
  ],
  columns: [
    { field: 'severity', heading: 'Severity' },
    { field: 'template_name', heading: 'Name' },
    { field: 'template_id', heading: 'Launch template' },
    { field: 'scaling_group_id', heading: 'Scaling group' },
    { field: 'instance_type', heading: 'Instance type' },
    { field: 'charge_type', heading: 'Charge type' },
    ...placeColumns,
    { field: 'account', heading: 'Account', properties: statusPageLink },
    { field: 'region', heading: 'Region' },
    { field: 'zone', heading: 'Zone' },
    { field: 'reason', heading: 'Reason' },
    { field: 'Value #Room', heading: 'Room' },
    { field: 'Value #Since', heading: 'Since', properties: timeColumn },
  ],
  sortBy: { heading: 'Severity', descending: false },
});

const ofGroups = (metric: string) => `max by (${groupLabels}) (${metric}${regional})`;

const scalingGroups = tablePanel({
  title: 'Scaling groups',
  description:
    'Members of maximum, and how many of the rest could not be started now; those that lack most first. Code: with what the last scale-out failed.',
  span: 18,
  targets: [
    rows('Members', ofGroups('cvm_scaling_group_instances')),
    rows('Maximum', ofGroups('cvm_scaling_group_max_size')),
    rows('Missing', ofGroups('cvm_scaling_group_missing')),
    rows(
      'Name',
      `topk by (${groupLabels}) (1, max by (${groupLabels}, scaling_group_name) (cvm_scaling_group_info${regional}))`,
    ),
    rows(
      'Failing',
      `topk by (${groupLabels}) (1, max by (${groupLabels}, code) (cvm_scaling_group_failing${regional}))`,
    ),
  ],
  columns: [
    { field: 'scaling_group_name', heading: 'Name' },
    { field: 'scaling_group_id', heading: 'Scaling group' },
    ...placeColumns,
    { field: 'account', heading: 'Account', properties: statusPageLink },
    { field: 'region', heading: 'Region' },
    { field: 'Value #Members', heading: 'Members' },
    { field: 'Value #Maximum', heading: 'Maximum' },
    { field: 'Value #Missing', heading: 'Missing' },
    { field: 'code', heading: 'Code' },
  ],
  sortBy: { heading: 'Missing', descending: true },
});

/** Grades the monitor. */
const failedScaleOuts = statPanel({
  title: 'Scale-outs that failed',
  description:
    'Within the time range, or that succeeded in part only; by whether the monitor had said that the group was blocked or short.',
  span: 6,
  unit: 'short',
  steps: plainSteps,
  targets: (['true', 'false'] as const).map((foretold) =>
    now(
      risesInRange(
        `${groupLabels}, outcome`,
        `cvm_scaling_activities_total${regionalWith(`,outcome=~"failed|partial",foretold="${foretold}"`)}`,
      ),
      foretold === 'true' ? 'foretold' : 'not foretold',
    ),
  ),
}).height(10);

const quotaTable = tablePanel({
  title: 'Quotas, least remaining first',
  description:
    "Every quota as of its last successful poll. Time to full is at the last hour's pace, and empty while use does not grow.",
  span: 24,
  targets: [
    rows('Remaining', remaining),
    rows('Used', `max by (${quotaLabels}) (cvm_quota_used${quotas()})`),
    rows('Limit', limit),
    rows('Ratio', remainingPerQuota),
    rows('Severity', severityPerQuota),
    rows('TimeToFull', `min by (${quotaLabels}) (${timeToFull})`),
  ],
  columns: [
    { field: 'Value #Severity', heading: 'State', properties: textColumn(severity) },
    ...quotaColumns,
    { field: 'Value #Used', heading: 'Used' },
    { field: 'Value #Remaining', heading: 'Remaining' },
    { field: 'Value #Limit', heading: 'Limit' },
    { field: 'Value #Ratio', heading: 'Remaining share', properties: remainingColumn },
    { field: 'Value #TimeToFull', heading: 'Time to full', properties: durationColumn },
  ],
  sortBy: { heading: 'Remaining share', descending: false },
});

/** Which launch fails next, where and why; then quotas; then what else is wrong. */
export const failsNext: Section = {
  row: new RowBuilder('What fails next'),
  panels: [blockedLaunches, scalingGroups, failedScaleOuts, lowQuotas, alertTable],
};

export const overview: Section = {
  row: new RowBuilder('All quotas'),
  panels: [...stats, ...bars, quotaTable],
};
