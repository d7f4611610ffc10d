/**
 * The kind for the scaling groups of a region: DescribeAutoScalingGroups. The kinds of launch configurations and of
 * activities plan their targets from its answers.
 */
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
    /** The IDs that the configuration names. `null`: the groups of the selection. */
    ids: z.array(text).nullable(),
    /** With IDs, it selects everything. */
    selection: selectionSchema,
  },
  durable: {},
  snapshot: snapshotSchema({
    /** The selected groups with a readable ID, in the order of the answer, then those that it lacks: `isLacking`. */
    groups: z.array(scalingGroupSchema),
  }),
});
type ScalingGroupRecord = Stored<typeof stored>;

/** How a group divides its instances between spot and pay-as-you-go. */
const mixedSchema = rowOf({
  isCompensated: field('CompensateWithBaseInstance', z.boolean(), true),
  base: field('BaseCapacity', count),
  percentage: field('OnDemandPercentageAboveBaseCapacity', count.max(100)),
});
/** The division of a group whose SpotMixedAllocationPolicy cannot be read. */
const unknownMix = { isCompensated: null, base: null, percentage: null };

const enabledStatus = z.enum(['ENABLED', 'DISABLED']).transform((status) => status === 'ENABLED');
/**
 * A scaling group without its ID. `check --plan` reads those of a plan of Terraform with it, too. A field is `null` if
 * it cannot be read. `mixed`: absent if all instances have the charge type of the launch configuration, `null` if the
 * policy is unknown.
 */
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

/** The group, with `zones: null` (unknown) if one of its zones belongs to another region or cannot be read. */
export function withOwnZones(region: string, group: ScalingGroup): ScalingGroup {
  const areOwn = group.zones?.every((zone) => isZoneOf(region, zone)) === true;
  return areOwn ? group : { ...group, zones: null };
}

/**
 * Asks for the groups with the IDs of the target or, without IDs, for those with its tags.
 *
 * @returns also `mayExist`: whether a group without a row may still exist, because the answer has a row without a
 *   readable ID or fewer rows than the service counts
 */
async function readGroups(ask: Ask, { ids, selection }: ScalingGroupRecord['target']) {
  if (ids !== null) {
    const reading = await readByIds(ask, ids, groupSet);
    return { ...reading, mayExist: (id: string) => !reading.lacking.includes(id) };
  }
  const reading = await readList(ask, tagFilters(selection), groupSet);
  return { ...reading, missing: [], mayExist: () => reading.names.length < reading.total };
}

/**
 * A known group that the last answer lacks: a list that changes between its pages may lack a group that exists. It keeps
 * what names it and its place; the rest is unknown.
 */
function lackingGroup({ configurationId, id, name, subnets, zones }: ScalingGroup): ScalingGroup {
  const unread = groupRow.parse({});
  return { ...unread, id, name, configurationId, subnets, zones, isLacking: true };
}

/** The gauges of each group: the end of the name, the beginning of HELP, and the value. */
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
    const { anomalies, mayExist, missing, rows } = await readGroups(ask, target);
    const { ids, region, selection } = target;
    // A known group without a row stays after the first answer that lacks it, and while it may still exist.
    const lacking = (observed.snapshot?.groups ?? [])
      .filter(({ id }) => (ids?.includes(id) ?? true) && !rows.some(({ name }) => name === id))
      .filter(({ id, isLacking }) => mayExist(id) || isLacking !== true)
      .map(lackingGroup);
    const { selected, ...notes } = selectRows(selection, rows, 'group');
    const groups = selected.map(({ id, name, row }) => withOwnZones(region, { ...row, id, name }));
    return {
      snapshot: { groups: [...groups, ...lacking], missing: [...missing, ...notes.missing] },
      anomalies: [...anomalies, ...notes.anomalies],
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
