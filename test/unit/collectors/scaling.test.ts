/** What is read of DescribeAutoScalingGroups and DescribeLaunchConfigurations, and what is planned by them. */
import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { Target } from '../../../src/model/target.ts';
import { plannedBy, PolledTarget } from '../../support/polled-target.ts';

const place = { account: 'production', region: 'ap-x' };
const everyName = { names: null, tags: {} };
const groupsTarget = (more: object = {}) =>
  ({
    ...{ ...place, operation: 'DescribeAutoScalingGroups' },
    ...{ ids: null, selection: everyName, ...more },
  }) as Target;
const configurationsTarget = (...ids: readonly string[]) =>
  ({ ...place, operation: 'DescribeLaunchConfigurations', ids }) as Target;

const groupRow = (id: string, more: object = {}) => ({
  AutoScalingGroupId: id,
  AutoScalingGroupName: 'web',
  AutoScalingGroupStatus: 'NORMAL',
  EnabledStatus: 'ENABLED',
  MinSize: 1,
  MaxSize: 9,
  DesiredCapacity: 4,
  InstanceCount: 3,
  LaunchConfigurationId: 'asc-1',
  SubnetIdSet: ['subnet-a'],
  ZoneSet: [],
  InstanceAllocationPolicy: 'LAUNCH_CONFIGURATION',
  ...more,
});
const groupsAnswer = (...rows: readonly object[]) => ({
  AutoScalingGroupSet: rows,
  TotalCount: rows.length,
});
const configurationRow = (id: string, more: object = {}) => ({
  LaunchConfigurationId: id,
  LaunchConfigurationStatus: 'NORMAL',
  InstanceTypes: ['S5.LARGE8', 'S6.LARGE8'],
  ...more,
});
const configurationsAnswer = (...rows: readonly object[]) => ({
  LaunchConfigurationSet: rows,
  TotalCount: rows.length,
});

const factsOf = ({ record }: PolledTarget) => collectors.of(record.target).launchFacts(record);

async function polledOf(target: Target, answer: object) {
  const polled = new PolledTarget(target);
  await polled.poll(answer);
  return polled;
}
const group = {
  ...{ id: 'asg-1', name: 'web', status: 'NORMAL', isEnabled: true, configurationId: 'asc-1' },
  ...{ minSize: 1, maxSize: 9, desiredCapacity: 4, instances: 3, subnets: ['subnet-a'], zones: [] },
};

test('a group is read with its sizes, and each has its metrics', async () => {
  const polled = await polledOf(groupsTarget(), groupsAnswer(groupRow('asg-1')));

  expect(factsOf(polled).groups).toEqual([group]);
  expect(polled.metrics()).toEqual({
    'cvm_scaling_group_max_size asg-1': 9,
    'cvm_scaling_group_min_size asg-1': 1,
    'cvm_scaling_group_desired_capacity asg-1': 4,
    'cvm_scaling_group_instances asg-1': 3,
    'cvm_scaling_group_enabled asg-1': 1,
    'cvm_scaling_group_info asg-1 web asc-1': 1,
  });
  expect(polled.metrics(false)).toEqual({});
});

const mixed = { InstanceAllocationPolicy: 'SPOT_MIXED' };

test('groups are selected by names here, and by tags at the service', async () => {
  const selection = { names: ['web-*'], tags: { env: 'prod' } };
  const polled = new PolledTarget(groupsTarget({ selection }));
  const named = (id: string, name: string | null) => groupRow(id, { AutoScalingGroupName: name });

  const { missing } = await polled.poll(
    groupsAnswer(named('asg-1', 'web-1'), named('asg-2', 'job'), named('asg-3', null)),
  );

  expect(factsOf(polled).groups?.map(({ id }) => id)).toEqual(['asg-1']);
  expect(missing).toEqual(['asg-3: no name']);
  expect(polled.requests).toEqual([
    { 'Filters.0.Name': 'tag:env', 'Filters.0.Values.0': 'prod', Offset: '0', Limit: '100' },
  ]);
  expect((await polled.poll(groupsAnswer())).missing).toEqual([
    'no group matches names web-*, tags env=prod',
  ]);
});

test.each([
  ['DescribeAutoScalingGroups', 'asg', groupsTarget, groupsAnswer, groupRow, 'AutoScalingGroupIds'],
  [
    'DescribeLaunchConfigurations',
    'asc',
    ({ ids }: { ids: string[] }) => configurationsTarget(...ids),
    configurationsAnswer,
    configurationRow,
    'LaunchConfigurationIds',
  ],
] as const)(
  '%s asks for 100 IDs in a request, and says which the answer lacks',
  async (_operation, prefix, targetOf, answerOf, rowOf, parameter) => {
    const ids = Array.from({ length: 200 }, (_, i) => `${prefix}-${i}`);
    const polled = new PolledTarget(targetOf({ ids }));
    polled.answer = (parameters) =>
      answerOf(
        ...ids
          .slice(1)
          .filter((id) => Object.values(parameters).includes(id))
          .map((id) => rowOf(id)),
      );

    const { missing } = await polled.poll();

    expect(missing).toEqual([`${prefix}-0: not in the answer`]);
    expect(polled.requests).toHaveLength(2);
    expect(polled.requests[0]).toMatchObject({ [`${parameter}.99`]: `${prefix}-99` });
  },
);

const settings = (launches: boolean, regionKeys: Readonly<Record<string, unknown>> = {}) => ({
  ...{ ...place, site: 'domestic' as const },
  ...{ accountKeys: { launches }, regionKeys },
});

test.each<[launches: boolean, keys: Readonly<Record<string, unknown>>, target: object | null]>([
  [true, {}, { ids: null, selection: everyName }],
  [true, { scaling_groups: ['asg-1'] }, { ids: ['asg-1'] }],
  [
    true,
    { scaling_groups: { names: ['a*'], tags: { b: 'c' } } },
    { ids: null, selection: { names: ['a*'], tags: { b: 'c' } } },
  ],
  [true, { scaling_groups: [] }, null],
  [false, {}, null],
])('with launches: %s and %j, the scaling groups are %j', (launches, keys, target) => {
  const planned = plannedBy('DescribeAutoScalingGroups', settings(launches, keys));
  const found = plannedBy('DescribeLaunchConfigurations', settings(launches, keys));

  expect(planned).toMatchObject(target === null ? [] : [target]);
  expect(found).toHaveLength(planned.length);
});

test('groups find configurations, and both find the types and subnets to ask for', async () => {
  const inZones = { SubnetIdSet: [], ZoneSet: ['ap-x-1'], LaunchConfigurationId: 'asc-2' };
  const groups = await polledOf(
    groupsTarget(),
    groupsAnswer(
      groupRow('asg-1', mixed),
      groupRow('asg-2', inZones),
      groupRow('asg-3', {
        EnabledStatus: 'DISABLED',
        LaunchConfigurationId: 'asc-3',
        SubnetIdSet: ['subnet-c'],
      }),
    ),
  );
  const [found] = plannedBy('DescribeLaunchConfigurations', settings(true), [groups.record]);
  expect(found).toMatchObject({ ids: ['asc-1', 'asc-2'] });
  const rows = [
    configurationRow('asc-1'),
    configurationRow('asc-2', { InstanceTypes: ['SA2.LARGE8'] }),
  ];
  const { record } = await polledOf(found!, configurationsAnswer(...rows));
  const needed = (operation: string) =>
    plannedBy(operation, settings(true), [groups.record, record]);
  const need = (instanceType: string, chargeType: string, zone: string | null) => ({
    instanceType,
    chargeType,
    zone,
  });

  expect(needed('DescribeZoneInstanceConfigInfos')).toMatchObject([
    {
      needs: [
        need('S5.LARGE8', 'postpaid', null),
        need('S5.LARGE8', 'spotpaid', null),
        need('S6.LARGE8', 'postpaid', null),
        need('S6.LARGE8', 'spotpaid', null),
        need('SA2.LARGE8', 'postpaid', 'ap-x-1'),
      ],
    },
  ]);
  expect(needed('DescribeSubnets')).toMatchObject([{ ids: ['subnet-a'] }]);
});

test('a group that answers lack is unknown, then gone', async () => {
  const polled = await polledOf(groupsTarget(), groupsAnswer(groupRow('asg-1'), groupRow('asg-2')));
  const unread = { status: null, isEnabled: null, instances: null, maxSize: null };
  const found = async (answer: object) => {
    await polled.poll(answer);
    return factsOf(polled).groups;
  };
  const first = groupsAnswer(groupRow('asg-1'));
  const lacking = [group, { id: 'asg-2', isLacking: true, ...unread }];

  expect(await found(first)).toMatchObject(lacking);
  // A row that cannot be read may be that of the group.
  expect(await found({ ...first, TotalCount: 2 })).toMatchObject(lacking);
  expect(await found(first)).toEqual([group]);
  expect(await found(groupsAnswer(groupRow('asg-2')))).toMatchObject([
    { id: 'asg-2', maxSize: 9 },
    { id: 'asg-1', ...unread },
  ]);
  expect(await found(groupsAnswer(groupRow('asg-1'), groupRow('asg-2')))).toHaveLength(2);
});
