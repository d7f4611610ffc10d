/** The quotas with the lowest remaining share, recent changes, and failing targets. */
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
  remainingBars,
  remainingColumn,
  statPanel,
  tablePanel,
  textColumn,
  type Section,
} from './panels.ts';
import {
  belowThreshold,
  now,
  overdrawn,
  quotaLabels,
  quotas,
  regional,
  remainingRatio,
  risesInRange,
  rows,
  targetLabels,
  templateLabels,
  threshold,
  timeToFull,
} from './queries.ts';

const remainingPerQuota = `min by (${quotaLabels}) (${remainingRatio()})`;

function countOf(condition: string): string {
  return `count(${condition}) or vector(0)`;
}

const stats = [
  statPanel({
    title: 'Quotas exhausted',
    description:
      'Quotas with thresholds of which nothing remains, and all of which more is in use than allowed. Creating more fails now.',
    span: 4,
    unit: 'short',
    steps: anyIsBadSteps,
    targets: [
      now(
        countOf(
          `(${remainingPerQuota} <= 0) and ${threshold('critical')} or max by (${quotaLabels}) (${overdrawn()})`,
        ),
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
    targets: [now(countOf(belowThreshold('critical')), 'quotas')],
  }),
  statPanel({
    title: 'Quotas low',
    description: 'Quotas of which less remains than their warning threshold.',
    span: 4,
    unit: 'short',
    steps: anyIsNewsSteps,
    targets: [now(countOf(belowThreshold('warning')), 'quotas')],
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
    targets: [now(`sort(min by (${level}) (${remainingRatio(selector)}))`, `{{${level}}}`)],
  }),
);

const severity: ValueMapping = {
  type: MappingType.ValueToText,
  options: {
    '0': { text: 'fine', color: 'green' },
    '1': { text: 'warning', color: 'orange' },
    '2': { text: 'critical', color: 'red' },
  },
};

/** 2 for a quota that is critical, 1 for a low one, 0 for others. A muted quota has no value. */
const severityPerQuota = `2 * group by (${quotaLabels}) (${overdrawn()}) or (${belowThreshold('warning', '< bool')}) + (${belowThreshold('critical', '< bool')})`;

const quotaTable = tablePanel({
  title: 'Quotas, least remaining first',
  description:
    "Every quota as of its last successful poll. Time to full is at the last hour's pace, and empty while use does not grow.",
  span: 24,
  targets: [
    rows('Remaining', `min by (${quotaLabels}) (cvm_quota_remaining${quotas()})`),
    rows('Used', `max by (${quotaLabels}) (cvm_quota_used${quotas()})`),
    rows('Limit', `min by (${quotaLabels}) (cvm_quota_limit${quotas()})`),
    rows('Ratio', remainingPerQuota),
    rows('Severity', severityPerQuota),
    rows('TimeToFull', `min by (${quotaLabels}) (${timeToFull})`),
  ],
  columns: [
    { field: 'Value #Severity', heading: 'State', properties: textColumn(severity) },
    {
      field: 'account',
      heading: 'Account',
      properties: linkColumn(
        'Status page',
        '${page}/?account=${__data.fields.Account}&region=${__data.fields.Region}',
      ),
    },
    { field: 'region', heading: 'Region' },
    { field: 'zone', heading: 'Zone' },
    { field: 'quota_type', heading: 'Type' },
    { field: 'unit', heading: 'Unit' },
    { field: 'Value #Used', heading: 'Used' },
    { field: 'Value #Remaining', heading: 'Remaining' },
    { field: 'Value #Limit', heading: 'Limit' },
    { field: 'Value #Ratio', heading: 'Remaining share', properties: remainingColumn },
    { field: 'Value #TimeToFull', heading: 'Time to full', properties: durationColumn },
  ],
  sortBy: { heading: 'Remaining share', descending: false },
});

export const overview: Section = {
  row: new RowBuilder('Overview'),
  panels: [...stats, alertTable, ...bars, quotaTable],
};
