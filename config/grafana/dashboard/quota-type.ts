/** Each quota type in detail: one row per type, and the limits that only some types have. */
import {
  FieldColorModeId,
  RowBuilder,
  type DynamicConfigValue,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { graphPanel, placeColumns, tablePanel, type Section } from './panels.ts';
import {
  accountLabels,
  legendOfAccount,
  overTime,
  quotaLabels,
  quotas,
  regional,
  remainingRatio,
  rows,
  threshold,
  timeToFull,
} from './queries.ts';

const limit = `min by (${quotaLabels}) (cvm_quota_limit${quotas()})`;
const dashed: DynamicConfigValue[] = [
  { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } },
  { id: 'custom.fillOpacity', value: 0 },
];

function lineColor(color: string): DynamicConfigValue {
  return { id: 'color', value: { mode: FieldColorModeId.Fixed, fixedColor: color } };
}

const legend = `${legendOfAccount} {{region}} {{zone}} {{template_id}} {{subnet_id}} {{placement_group_id}}`;

/** Repeated for each selected quota type; within it `$quota_type` is that one type. */
export const quotaTypeDetail: Section = {
  row: new RowBuilder('Quota: $quota_type').repeat('quota_type'),
  panels: [
    graphPanel({
      title: 'Used and limit',
      description:
        'The use (prepaid: of this month) and the limit. Above the lines warning and critical, less remains than the threshold.',
      span: 12,
      unit: 'short',
      targets: [
        overTime(`max by (${quotaLabels}) (cvm_quota_used${quotas()})`, `${legend} used`),
        overTime(limit, `${legend} limit`),
        overTime(`${limit} - ${threshold('warning')}`, `${legend} warning`),
        overTime(`${limit} - ${threshold('critical')}`, `${legend} critical`),
      ],
    })
      .overrideByRegexp('/ limit$/', dashed)
      .overrideByRegexp('/ warning$/', [...dashed, lineColor('orange')])
      .overrideByRegexp('/ critical$/', [...dashed, lineColor('red')]),
    graphPanel({
      title: 'Remaining share',
      description: 'Share of the limit that remains.',
      span: 6,
      unit: 'percentunit',
      targets: [overTime(`min by (${quotaLabels}) (${remainingRatio()})`, legend)],
    }).max(1),
    graphPanel({
      title: 'Time to full',
      description:
        'At the rate of the last hour, as CvmQuotaFillingUp computes it. No line while the use does not grow.',
      span: 6,
      unit: 's',
      targets: [overTime(`min by (${quotaLabels}) (${timeToFull})`, legend)],
    }),
  ],
};

export const furtherLimits: Section = {
  row: new RowBuilder('Further limits'),
  panels: [
    tablePanel({
      title: 'Maximum of one prepaid purchase',
      description: 'OnceQuota. It may exceed the limit of the quota itself.',
      span: 12,
      targets: [
        rows('OnceLimit', `min by (${quotaLabels}) (cvm_quota_once_limit${quotas()})`),
        rows(
          'Remaining',
          `min by (${quotaLabels}) (cvm_quota_remaining${quotas(',quota_type="prepaid"')})`,
        ),
      ],
      columns: [
        ...placeColumns,
        { field: 'account', heading: 'Account' },
        { field: 'region', heading: 'Region' },
        { field: 'zone', heading: 'Zone' },
        { field: 'Value #OnceLimit', heading: 'One purchase' },
        { field: 'Value #Remaining', heading: 'Remaining' },
      ],
      sortBy: { heading: 'One purchase', descending: false },
    }),
    tablePanel({
      title: 'Maximum number of instances in one disaster recover group',
      description: 'By the level of the group: host, switch or rack.',
      span: 12,
      targets: [
        rows(
          'Limit',
          `min by (${accountLabels}, region, level) (cvm_disaster_recover_group_instance_limit${regional})`,
        ),
      ],
      columns: [
        ...placeColumns,
        { field: 'account', heading: 'Account' },
        { field: 'region', heading: 'Region' },
        { field: 'level', heading: 'Level' },
        { field: 'Value #Limit', heading: 'Instances' },
      ],
      sortBy: { heading: 'Account', descending: false },
    }),
  ],
};
