/** The kind for the scaling groups of a region: DescribeAutoScalingGroups. Its answers find launch configurations. */
import { z } from 'zod';
import { scalingGroupSchema, type ScalingGroup } from '../../model/launches/launch.ts';
import { snapshotGauge } from '../../model/metric-family.ts';
import { snapshotSchema } from '../../model/poll-outcome.ts';
import { recordSchema, type TargetRecord } from '../../model/record.ts';
import { count, text, type Stored } from '../../model/stored.ts';
import { as, defineCollector, type Ask } from '../collector.ts';
import { launchConfiguration, launchConfigurationId, scalingGroupId, subnetId } from '../keys.ts';
import { areGroupsJudged } from '../launch-settings.ts';
import { isZoneOf, lenient, printableText, readByIds, readList } from '../rows.ts';
import {
  selectRows,
  selectionOf,
  selectionSchema,
  selectionText,
  tagFilters,
} from '../selection.ts';

export const scalingGroupOperation = 'DescribeAutoScalingGroups';

const stored = recordSchema(scalingGroupOperation, {
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
export type ScalingGroupRecord = Stored<typeof stored>;

const isRecord = (record: TargetRecord): record is ScalingGroupRecord =>
  record.target.operation === scalingGroupOperation;

/** The scaling groups among the records. A failed poll keeps the last ones. */
export function groupsIn(records: readonly TargetRecord[]): readonly ScalingGroup[] {
  return records.filter(isRecord).flatMap(({ observed }) => observed.snapshot?.groups ?? []);
}

const mixedSchema = z.object({
  CompensateWithBaseInstance: lenient(z.boolean(), true),
  BaseCapacity: lenient(count),
  OnDemandPercentageAboveBaseCapacity: lenient(count.max(100)),
});
const rowSchema = z.object({
  AutoScalingGroupName: lenient(text),
  AutoScalingGroupStatus: lenient(printableText),
  EnabledStatus: lenient(z.enum(['ENABLED', 'DISABLED'])),
  MinSize: lenient(count),
  MaxSize: lenient(count),
  DesiredCapacity: lenient(count),
  InstanceCount: lenient(count),
  LaunchConfigurationId: lenient(launchConfigurationId),
  SubnetIdSet: lenient(z.array(subnetId), []),
  ZoneSet: lenient(z.array(printableText), []),
  InstanceAllocationPolicy: lenient(z.enum(['LAUNCH_CONFIGURATION', 'SPOT_MIXED'])),
  SpotMixedAllocationPolicy: lenient(mixedSchema, mixedSchema.parse({})),
});
type Row = z.output<typeof rowSchema>;

const groupSet = {
  name: 'AutoScalingGroupSet',
  noun: 'scaling groups',
  id: z.object({ AutoScalingGroupId: scalingGroupId }),
  schema: rowSchema,
};

/** @param fields those of a scaling group */
export function groupOf(id: string, name: string, fields: object, region: string): ScalingGroup {
  return readGroup(id, name, rowSchema.parse(fields), region);
}

function readGroup(id: string, name: string, row: Row, region: string): ScalingGroup {
  const { EnabledStatus: enabled, InstanceAllocationPolicy: policy, ZoneSet: zones } = row;
  const mixed = row.SpotMixedAllocationPolicy;
  return {
    id,
    name,
    status: row.AutoScalingGroupStatus,
    isEnabled: enabled && enabled === 'ENABLED',
    minSize: row.MinSize,
    maxSize: row.MaxSize,
    desiredCapacity: row.DesiredCapacity,
    instances: row.InstanceCount,
    configurationId: row.LaunchConfigurationId,
    subnets: row.SubnetIdSet,
    zones: zones?.every((zone) => isZoneOf(region, zone)) === true ? zones : null,
    ...(policy !== 'LAUNCH_CONFIGURATION' && {
      mixed: policy && {
        isCompensated: mixed?.CompensateWithBaseInstance ?? null,
        base: mixed?.BaseCapacity ?? null,
        percentage: mixed?.OnDemandPercentageAboveBaseCapacity ?? null,
      },
    }),
  };
}

const unknownIdCodes = ['InvalidParameterValue.InvalidAutoScalingGroupId'];

/** What an answer says of the groups with these IDs, or of those with the selected tags. */
async function readGroups(ask: Ask, { ids, selection }: ScalingGroupRecord['target']) {
  if (ids !== null) {
    const reading = await readByIds(ask, 'AutoScalingGroupIds', ids, unknownIdCodes, groupSet);
    return { ...reading, isPossible: (id: string) => !reading.lacking.includes(id) };
  }
  const reading = await readList(ask, tagFilters(selection), groupSet);
  return { ...reading, missing: [], isPossible: () => reading.names.length < reading.total };
}

/** A group that an answer lacks: a list that changes between its pages may lack one that exists. */
const lackingGroup = ({
  configurationId,
  id,
  name,
  subnets,
  zones,
}: ScalingGroup): ScalingGroup => ({
  ...{ id, name, configurationId, subnets, zones, isLacking: true, mixed: null },
  ...{ status: null, isEnabled: null, instances: null },
  ...{ minSize: null, maxSize: null, desiredCapacity: null },
});

/** A gauge of each group. */
const gauge = (
  name: string,
  help: string,
  valueOf: (group: ScalingGroup) => number | null,
  labelsOf: (group: ScalingGroup) => Readonly<Record<string, string>> = () => ({}),
  labelNames?: readonly string[],
) =>
  snapshotGauge<ScalingGroupRecord>(
    name,
    `${help} of DescribeAutoScalingGroups.`,
    ({ groups }) =>
      groups.map((group) => {
        const labels = { scaling_group_id: group.id, ...labelsOf(group) };
        return { labels, value: valueOf(group) };
      }),
    labelNames,
  );

export const scalingGroupCollector = defineCollector<
  ScalingGroupRecord,
  typeof launchConfiguration
>({
  kind: 'scaling-group',
  operation: scalingGroupOperation,
  service: as,
  noun: 'scaling groups',
  resourceLabels: ['scaling_group_id'],
  configuration: launchConfiguration,
  accountProblems: ({ accountKeys, regionKeys: { scaling_groups: key = [] } }) => {
    if (accountKeys.launches || (Array.isArray(key) && key.length === 0)) return [];
    const message = 'has no effect without launches: true in the account';
    return [{ path: ['scaling_groups'], message }];
  },
  plan: (settings) => {
    if (!areGroupsJudged(settings)) return [];
    const { account, region, regionKeys } = settings;
    const { scaling_groups: key = 'all' } = regionKeys;
    const ids = Array.isArray(key) ? key : null;
    const selection = selectionOf(Array.isArray(key) ? 'all' : key);
    return [{ account, region, operation: scalingGroupOperation, ids, selection }];
  },
  details: ({ ids, selection }) => ids?.slice(0, 5).join(', ') ?? selectionText(selection),
  poll: async (ask, target, { record }) => {
    const { anomalies, isPossible, missing, rows } = await readGroups(ask, target);
    const { ids, region, selection } = target;
    const lacking = groupsIn([record])
      .filter(({ id }) => (ids?.includes(id) ?? true) && !rows.some(({ name }) => name === id))
      .filter(({ id, isLacking }) => isPossible(id) || isLacking !== true)
      .map(lackingGroup);
    const nameOf = (row: Row) => row.AutoScalingGroupName;
    const { selected, ...read } = selectRows(selection, rows, nameOf, 'group');
    const groups = selected.map(({ id, name, row }) => readGroup(id, name, row, region));
    const snapshot = {
      groups: [...groups, ...lacking],
      missing: [...missing, ...read.missing],
    };
    return { snapshot, anomalies: [...anomalies, ...read.anomalies] };
  },
  stored,
  families: [
    gauge('cvm_scaling_group_max_size', 'MaxSize', (group) => group.maxSize),
    gauge('cvm_scaling_group_min_size', 'MinSize', (group) => group.minSize),
    gauge(
      'cvm_scaling_group_desired_capacity',
      'DesiredCapacity',
      (group) => group.desiredCapacity,
    ),
    gauge(
      'cvm_scaling_group_instances',
      'The instances of a group, those that start or end too: InstanceCount',
      (group) => group.instances,
    ),
    gauge(
      'cvm_scaling_group_enabled',
      'Whether a group scales, 1 or 0: EnabledStatus',
      ({ isEnabled }) => (isEnabled === null ? null : Number(isEnabled)),
    ),
    gauge(
      'cvm_scaling_group_info',
      'Always 1; the labels are AutoScalingGroupName and LaunchConfigurationId',
      () => 1,
      ({ configurationId: id, name }) => {
        return { scaling_group_name: name, launch_configuration_id: id ?? '' };
      },
      ['scaling_group_name', 'launch_configuration_id'],
    ),
  ],
  launchFacts: ({ observed }) => ({ groups: observed.snapshot?.groups ?? [] }),
});
