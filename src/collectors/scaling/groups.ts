/** The kind for the scaling groups of a region: DescribeAutoScalingGroups. Its answers find launch configurations. */
import { z } from 'zod';
import { scalingGroupSchema, type ScalingGroup } from '../../model/launches/launch.ts';
import { flag, snapshotGauge } from '../../model/metric-family.ts';
import { snapshotSchema } from '../../model/poll-outcome.ts';
import { recordSchema } from '../../model/record.ts';
import { count, text, type Stored } from '../../model/stored.ts';
import { as, defineCollector, type Ask } from '../collector.ts';
import {
  launchConfiguration,
  launchConfigurationId,
  scalingGroupId,
  subnetId,
  type LaunchKeys,
} from '../keys.ts';
import { areGroupsJudged, needsLaunches } from '../launch-settings.ts';
import { readByIds, readList } from '../lists.ts';
import { field, isZoneOf, printableText, rowOf } from '../rows.ts';
import {
  selectRows,
  selectionOf,
  selectionSchema,
  selectionText,
  tagFilters,
} from '../selection.ts';

const stored = recordSchema({
  target: {
    /** `null`: those of the selection. */
    ids: z.array(text).nullable(),
    selection: selectionSchema,
  },
  durable: {},
  snapshot: snapshotSchema({
    /** The selected groups with a readable ID, in the order of the answer. */
    groups: z.array(scalingGroupSchema),
  }),
});
type ScalingGroupRecord = Stored<typeof stored>;

const mixedSchema = rowOf({
  isCompensated: field('CompensateWithBaseInstance', z.boolean(), true),
  base: field('BaseCapacity', count),
  percentage: field('OnDemandPercentageAboveBaseCapacity', count.max(100)),
});
const unknownMix = { isCompensated: null, base: null, percentage: null };

const enabledStatus = z.enum(['ENABLED', 'DISABLED']).transform((status) => status === 'ENABLED');
/** A scaling group without its ID, also of a plan of Terraform. */
export const groupRow = rowOf({
  name: field('AutoScalingGroupName', text),
  status: field('AutoScalingGroupStatus', printableText),
  isEnabled: field('EnabledStatus', enabledStatus),
  minSize: field('MinSize', count),
  maxSize: field('MaxSize', count),
  desiredCapacity: field('DesiredCapacity', count),
  instances: field('InstanceCount', count),
  configurationId: field('LaunchConfigurationId', launchConfigurationId),
  subnets: field('SubnetIdSet', z.array(subnetId), []),
  zones: field('ZoneSet', z.array(printableText), []),
  policy: field('InstanceAllocationPolicy', z.enum(['LAUNCH_CONFIGURATION', 'SPOT_MIXED'])),
  mixed: field('SpotMixedAllocationPolicy', mixedSchema, mixedSchema.parse({})),
}).transform(({ mixed, policy, ...row }) => ({
  ...row,
  ...(policy !== 'LAUNCH_CONFIGURATION' && { mixed: policy && (mixed ?? unknownMix) }),
}));

const groupSet = {
  name: 'AutoScalingGroupSet',
  noun: 'scaling groups',
  id: z.object({ AutoScalingGroupId: scalingGroupId }),
  schema: groupRow,
  parameter: 'AutoScalingGroupIds',
  codes: ['InvalidParameterValue.InvalidAutoScalingGroupId'],
};

/** A group of a region. Its zones are unknown if one is of another region. */
export function withOwnZones(region: string, group: ScalingGroup): ScalingGroup {
  const areOwn = group.zones?.every((zone) => isZoneOf(region, zone)) === true;
  return areOwn ? group : { ...group, zones: null };
}

/** What an answer says of the groups with these IDs, or of those with the selected tags. */
async function readGroups(ask: Ask, { ids, selection }: ScalingGroupRecord['target']) {
  if (ids !== null) {
    const reading = await readByIds(ask, ids, groupSet);
    return { ...reading, isPossible: (id: string) => !reading.lacking.includes(id) };
  }
  const reading = await readList(ask, tagFilters(selection), groupSet);
  return { ...reading, missing: [], isPossible: () => reading.names.length < reading.total };
}

/** What a group that an answer lacks keeps: a list that changes between its pages may lack one that exists. */
function lackingGroup({ configurationId, id, name, subnets, zones }: ScalingGroup): ScalingGroup {
  const unread = groupRow.parse({});
  return { ...unread, id, name, configurationId, subnets, zones, isLacking: true };
}

/** Gauges of each group by the ends of their names, with their fields. */
const gauges: readonly [string, string, (group: ScalingGroup) => number | null][] = [
  ['max_size', 'MaxSize', ({ maxSize }) => maxSize],
  ['min_size', 'MinSize', ({ minSize }) => minSize],
  ['desired_capacity', 'DesiredCapacity', ({ desiredCapacity }) => desiredCapacity],
  [
    'instances',
    'The instances of a group, those that start or end too: InstanceCount',
    ({ instances }) => instances,
  ],
  ['enabled', 'Whether a group scales, 1 or 0: EnabledStatus', ({ isEnabled }) => flag(isEnabled)],
];

export const scalingGroupCollector = defineCollector<ScalingGroupRecord, LaunchKeys>({
  kind: 'scaling-group',
  operation: 'DescribeAutoScalingGroups',
  service: as,
  noun: 'scaling groups',
  resourceLabels: ['scaling_group_id'],
  configuration: launchConfiguration,
  accountProblems: needsLaunches('scaling_groups'),
  plan: (settings) => {
    if (!areGroupsJudged(settings)) return [];
    const { scaling_groups: key = 'all' } = settings.regionKeys;
    const ids = Array.isArray(key) ? key : null;
    const selection = selectionOf(Array.isArray(key) ? 'all' : key);
    return [{ ...settings.target, ids, selection }];
  },
  details: ({ ids, selection }) => ids?.slice(0, 5).join(', ') ?? selectionText(selection),
  poll: async (ask, { observed, target }) => {
    const { anomalies, isPossible, missing, rows } = await readGroups(ask, target);
    const { ids, region, selection } = target;
    const lacking = (observed.snapshot?.groups ?? [])
      .filter(({ id }) => (ids?.includes(id) ?? true) && !rows.some(({ name }) => name === id))
      .filter(({ id, isLacking }) => isPossible(id) || isLacking !== true)
      .map(lackingGroup);
    const { selected, ...read } = selectRows(selection, rows, 'group');
    const groups = selected.map(({ id, name, row }) => withOwnZones(region, { ...row, id, name }));
    return {
      snapshot: { groups: [...groups, ...lacking], missing: [...missing, ...read.missing] },
      anomalies: [...anomalies, ...read.anomalies],
    };
  },
  stored,
  families: [
    ...gauges.map(([name, help, valueOf]) =>
      snapshotGauge<ScalingGroupRecord>(
        `cvm_scaling_group_${name}`,
        `${help} of DescribeAutoScalingGroups.`,
        ({ groups }) =>
          groups.map((group) => {
            return { labels: { scaling_group_id: group.id }, value: valueOf(group) };
          }),
      ),
    ),
    snapshotGauge(
      'cvm_scaling_group_info',
      'Always 1; the labels are AutoScalingGroupName and LaunchConfigurationId of DescribeAutoScalingGroups.',
      ({ groups }) =>
        groups.map(({ configurationId, id, name }) => {
          const names = {
            scaling_group_name: name,
            launch_configuration_id: configurationId ?? '',
          };
          return { labels: { scaling_group_id: id, ...names }, value: 1 };
        }),
      ['scaling_group_name', 'launch_configuration_id'],
    ),
  ],
  launchFacts: ({ observed }) => ({ groups: observed.snapshot?.groups ?? [] }),
  json: ({ groups }) => ({
    scaling_groups: groups.map((group) => ({
      scaling_group_id: group.id,
      name: group.name,
      status: group.status,
      enabled: group.isEnabled,
      min_size: group.minSize,
      max_size: group.maxSize,
      desired_capacity: group.desiredCapacity,
      instances: group.instances,
      launch_configuration_id: group.configurationId,
    })),
  }),
});
