/** The operations of as: groups, launch configurations, activities, and the actions that change them. */
import { expect, test } from 'vitest';
import {
  createEmulator,
  createManualClock,
  type ActionInput,
  type ScenarioInput,
} from '../../../src/emulator/emulator.ts';
import { answerOf, filters, indexed, regionScenario, testRows } from '../../support/answer-rows.ts';

const region = 'ap-guangzhou';
const [zone, subnet] = ['ap-guangzhou-3', 'subnet-bthucmmy'];
const numbered = (prefix: string, n: number) => `${prefix}-${String(n).padStart(8, '0')}`;
const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => numbered(prefix, n));

const configuration = {
  id: 'asc-ouy1ax38',
  name: 'web-configuration',
  instance_types: ['S5.LARGE8', 'SA2.LARGE8'],
  tags: { team: 'web' },
  fields: { UserData: 'c2VjcmV0', InstanceChargeType: 'SPOTPAID' },
};
const group = {
  id: 'asg-12wjuh0s',
  name: 'web-group',
  launch_configuration: configuration.id,
  min_size: 1,
  max_size: 9,
  desired_capacity: 3,
  instances: 2,
  subnets: [subnet],
  tags: { team: 'web' },
};
const scenario: ScenarioInput = regionScenario({
  subnets: [{ id: subnet, zone, total: 253, available: 9 }],
  launch_configurations: [
    configuration,
    { id: 'asc-00000000', instance_types: ['S5.LARGE8'] },
    ...many('asc', 120)
      .slice(1)
      .map((id) => ({ id, instance_types: ['S5.LARGE8'] })),
  ],
  scaling_groups: [
    group,
    ...many('asg', 120).map((id) => ({
      id,
      launch_configuration: 'asc-00000000',
      max_size: 1,
      enabled: false,
      status: 'SUBNET_ABNORMAL',
      zones: [zone],
    })),
  ],
  activities: [
    { id: 'asa-5l2ejpfo', scaling_group: group.id, start_time: '2026-01-01T00:00:00Z' },
    {
      id: 'asa-failed00',
      scaling_group: group.id,
      status: 'FAILED',
      start_time: '2026-01-02T00:00:00Z',
      duration: '1m',
      refusals: [{ Code: 'ResourcesSoldOut.SpecifiedInstanceType', Zone: zone }],
    },
    {
      id: 'asa-running0',
      scaling_group: 'asg-00000000',
      type: 'SCALE_IN',
      status: 'RUNNING',
      start_time: '2026-01-03T00:00:00Z',
    },
  ],
});

const groups = (...ids: readonly string[]) => ({
  AutoScalingGroupSet: ids.map((AutoScalingGroupId) => ({ AutoScalingGroupId })),
});
const configurations = (...ids: readonly string[]) => ({
  LaunchConfigurationSet: ids.map((LaunchConfigurationId) => ({ LaunchConfigurationId })),
});
const activities = (...ids: readonly string[]) => ({
  ActivitySet: ids.map((ActivityId) => ({ ActivityId })),
});

/** The requests that an operation refuses, with the codes that differ. */
const refusals = (
  idsName: string,
  prefix: string,
  codes: Readonly<Record<'malformed' | 'tooMany' | 'page' | 'conflict' | 'incomplete', string>>,
) =>
  [
    ['a refusal of 101 IDs', indexed(idsName, many(prefix, 101)), codes.tooMany],
    ['a refusal of a malformed ID', indexed(idsName, ['lt-b8v1kcyq']), codes.malformed],
    [
      'a refusal of IDs beside Filters',
      { ...indexed(idsName, many(prefix, 1)), ...filters(['colour', 'red']) },
      codes.conflict,
    ],
    [
      'a refusal of an unknown filter',
      filters(['colour', 'red']),
      'InvalidParameterValue.InvalidFilter',
    ],
    ['a refusal of a filter without values', { 'Filters.0.Name': 'x' }, codes.incomplete],
    [
      'a refusal of 6 values of a filter',
      filters(['x', '1', '2', '3', '4', '5', '6']),
      'LimitExceeded.FilterValuesTooLong',
    ],
    [
      'a refusal of 11 filters',
      filters(...Array.from({ length: 11 }, () => ['x', '1'] as const)),
      'LimitExceeded.FilterValuesTooLong',
    ],
    ['a refusal of a Limit of 101', { Limit: '101' }, codes.page],
    ['a refusal of a Limit of 0', { Limit: '0' }, codes.page],
    ['a refusal of an Offset below 0', { Offset: '-1' }, codes.page],
    ['a refusal of a Limit that is no integer', { Limit: 'x' }, 'InvalidParameter'],
    ['a refusal of another parameter', { MaxResults: '1' }, 'UnknownParameter'],
    ['a refusal of the version of cvm', { Version: '2017-03-12' }, 'NoSuchVersion'],
  ] as const;

const limitExceeded = 'InvalidParameterValue.LimitExceeded';

testRows('DescribeAutoScalingGroups', scenario, [
  [
    'every field of a group',
    indexed('AutoScalingGroupIds', [group.id]),
    {
      TotalCount: 1,
      AutoScalingGroupSet: [
        {
          AutoScalingGroupId: group.id,
          AutoScalingGroupName: 'web-group',
          AutoScalingGroupStatus: 'NORMAL',
          EnabledStatus: 'ENABLED',
          MinSize: 1,
          MaxSize: 9,
          DesiredCapacity: 3,
          InstanceCount: 2,
          InServiceInstanceCount: 2,
          LaunchConfigurationId: configuration.id,
          LaunchConfigurationName: 'web-configuration',
          VpcId: 'vpc-dcteo7jd',
          SubnetIdSet: [subnet],
          ZoneSet: [],
          MultiZoneSubnetPolicy: 'PRIORITY',
          InstanceAllocationPolicy: 'LAUNCH_CONFIGURATION',
          RetryPolicy: 'IMMEDIATE_RETRY',
          InActivityStatus: 'NOT_IN_ACTIVITY',
          Tags: [
            { ResourceId: group.id, ResourceType: 'auto-scaling-group', Key: 'team', Value: 'web' },
          ],
        },
      ],
    },
  ],
  [
    'a group that is disabled, in zones, in activity, with a bad status',
    indexed('AutoScalingGroupIds', ['asg-00000000']),
    {
      AutoScalingGroupSet: [
        {
          EnabledStatus: 'DISABLED',
          AutoScalingGroupStatus: 'SUBNET_ABNORMAL',
          VpcId: '',
          ZoneSet: [zone],
          InActivityStatus: 'IN_ACTIVITY',
        },
      ],
    },
  ],
  ['20 without a Limit', {}, { TotalCount: 121, ...groups(group.id, ...many('asg', 19)) }],
  [
    'a page',
    { Offset: '119', Limit: '100' },
    { TotalCount: 121, ...groups(...many('asg', 120).slice(118)) },
  ],
  [
    'what exists of the IDs',
    indexed('AutoScalingGroupIds', [group.id, 'asg-notthere']),
    { TotalCount: 1, ...groups(group.id) },
  ],
  ...(
    [
      ['auto-scaling-group-id', group.id],
      ['auto-scaling-group-name', 'web-group'],
      ['vague-auto-scaling-group-name', 'eb-gr'],
      ['launch-configuration-id', configuration.id],
      ['tag-key', 'team'],
      ['tag-value', 'web'],
      ['tag:team', 'web'],
    ] as const
  ).map(
    ([name, value]) =>
      [
        `what the filter ${name} selects`,
        filters([name, 'other', value]),
        { TotalCount: 1, ...groups(group.id) },
      ] as const,
  ),
  [
    'what all filters select',
    filters(['tag-key', 'team'], ['auto-scaling-group-name', 'group']),
    { TotalCount: 0, ...groups() },
  ],
  ...refusals('AutoScalingGroupIds', 'asg', {
    malformed: 'InvalidParameterValue.InvalidAutoScalingGroupId',
    tooMany: limitExceeded,
    page: limitExceeded,
    conflict: 'InvalidParameter.Conflict',
    incomplete: 'InvalidParameterValue.Filter',
  }),
]);

testRows('DescribeLaunchConfigurations', scenario, [
  [
    'every field of a launch configuration',
    indexed('LaunchConfigurationIds', [configuration.id]),
    {
      TotalCount: 1,
      LaunchConfigurationSet: [
        {
          LaunchConfigurationId: configuration.id,
          LaunchConfigurationName: 'web-configuration',
          LaunchConfigurationStatus: 'NORMAL',
          InstanceType: 'S5.LARGE8',
          InstanceTypes: ['S5.LARGE8', 'SA2.LARGE8'],
          InstanceChargeType: 'SPOTPAID',
          ImageId: 'img-8toqc6s3',
          SystemDisk: { DiskType: 'CLOUD_PREMIUM', DiskSize: 50 },
          DataDisks: [],
          DiskTypePolicy: 'ORIGINAL',
          DisasterRecoverGroupIds: [],
          UserData: 'c2VjcmV0',
        },
      ],
    },
  ],
  [
    'a page',
    { Offset: '119', Limit: '2' },
    { TotalCount: 121, ...configurations('asc-00000118', 'asc-00000119') },
  ],
  ...(
    [
      ['launch-configuration-id', configuration.id],
      ['launch-configuration-name', 'web-configuration'],
      ['vague-launch-configuration-name', 'web'],
      ['tag-key', 'team'],
      ['tag-value', 'web'],
      ['tag:team', 'web'],
    ] as const
  ).map(
    ([name, value]) =>
      [
        `what the filter ${name} selects`,
        filters([name, value]),
        { TotalCount: 1, ...configurations(configuration.id) },
      ] as const,
  ),
  ...refusals('LaunchConfigurationIds', 'asc', {
    malformed: 'InvalidParameterValue.InvalidLaunchConfigurationId',
    tooMany: 'InvalidParameterValue.TooLong',
    page: 'InvalidParameterValue',
    conflict: 'InvalidParameterConflict',
    incomplete: 'InvalidParameterValue.InvalidFilter',
  }),
]);

testRows('DescribeAutoScalingActivities', scenario, [
  [
    'the newest first',
    {},
    { TotalCount: 3, ...activities('asa-running0', 'asa-failed00', 'asa-5l2ejpfo') },
  ],
  [
    'what failed, with the refusals',
    indexed('ActivityIds', ['asa-failed00']),
    {
      ActivitySet: [
        {
          ActivityId: 'asa-failed00',
          AutoScalingGroupId: group.id,
          ActivityType: 'SCALE_OUT',
          StatusCode: 'FAILED',
          CreatedTime: '2026-01-02T00:00:00Z',
          StartTime: '2026-01-02T00:00:00Z',
          EndTime: '2026-01-02T00:01:00Z',
          DetailedStatusMessageSet: [
            { Code: 'ResourcesSoldOut.SpecifiedInstanceType', Zone: zone },
          ],
        },
      ],
    },
  ],
  [
    'what runs, without an end',
    indexed('ActivityIds', ['asa-running0']),
    { ActivitySet: [{ StatusCode: 'RUNNING', EndTime: null, DetailedStatusMessageSet: [] }] },
  ],
  ...(
    [
      ['auto-scaling-group-id', 'asg-00000000'],
      ['activity-status-code', 'RUNNING'],
      ['activity-type', 'SCALE_IN'],
      ['activity-id', 'asa-running0'],
    ] as const
  ).map(
    ([name, value]) =>
      [
        `what the filter ${name} selects`,
        filters([name, value]),
        { TotalCount: 1, ...activities('asa-running0') },
      ] as const,
  ),
  [
    'what started at StartTime or later',
    { StartTime: '2026-01-02T00:00:00Z' },
    activities('asa-running0', 'asa-failed00'),
  ],
  [
    'what had ended at EndTime or before',
    { EndTime: '2026-01-02T00:01:00Z' },
    activities('asa-failed00', 'asa-5l2ejpfo'),
  ],
  [
    'what lies between both, of the IDs',
    {
      ...indexed('ActivityIds', ['asa-5l2ejpfo', 'asa-running0']),
      StartTime: '2026-01-01T00:00:00Z',
      EndTime: '2026-01-02T00:00:59Z',
    },
    { TotalCount: 1, ...activities('asa-5l2ejpfo') },
  ],
  ['a refusal of another form of time', { StartTime: '2026-01-01' }, 'InvalidParameterValue'],
  [
    'a refusal of a filter by tags',
    filters(['tag-key', 'x']),
    'InvalidParameterValue.InvalidFilter',
  ],
  ...refusals('ActivityIds', 'asa', {
    malformed: 'InvalidParameterValue.InvalidActivityId',
    tooMany: limitExceeded,
    page: limitExceeded,
    conflict: 'InvalidParameter.Conflict',
    incomplete: 'InvalidParameterValue.Filter',
  }),
]);

const ofGroup = { region, scaling_group_id: group.id } as const;

test('an action changes what a group has, and nothing else of it', async () => {
  const emulator = await createEmulator({ scenario });
  const row = () =>
    answerOf(emulator, {
      Action: 'DescribeAutoScalingGroups',
      ...indexed('AutoScalingGroupIds', [group.id]),
    }).AutoScalingGroupSet;
  const change: ActionInput = { do: 'set-scaling-group', ...ofGroup };

  emulator.do({ ...change, instances: 9, enabled: false, status: 'CVM_ABNORMAL' });

  expect(row()).toMatchObject([
    {
      InstanceCount: 9,
      EnabledStatus: 'DISABLED',
      AutoScalingGroupStatus: 'CVM_ABNORMAL',
      MinSize: 1,
      MaxSize: 9,
      DesiredCapacity: 3,
    },
  ]);
  expect(() => {
    emulator.do({ ...change, max_size: 2 });
  }).toThrow('desired_capacity: must be from min_size, 1, to max_size, 2');
});

test('an activity that is added lasts for its duration, and then has its status and refusals', async () => {
  const clock = createManualClock();
  const emulator = await createEmulator({ scenario, clock });
  const start = new Date(clock.now()).toISOString().slice(0, 19);
  const newest = () => {
    const answer = answerOf(emulator, { Action: 'DescribeAutoScalingActivities', Limit: '1' });
    return (answer.ActivitySet as object[])[0];
  };
  const refused = [{ Code: 'LimitExceeded.UserSpotQuota' }];

  emulator.do({
    do: 'add-activity',
    ...ofGroup,
    status: 'FAILED',
    duration: '20s',
    refusals: refused,
  });

  const id = { ActivityId: 'asa-00000001', StartTime: `${start}Z` };
  const lasting = { StatusCode: 'RUNNING', EndTime: null, DetailedStatusMessageSet: [] };
  expect(newest()).toMatchObject({ ...id, ...lasting });
  emulator.advance('19s');
  expect(newest()).toMatchObject(lasting);
  emulator.advance('1s');
  expect(newest()).toMatchObject({
    ...id,
    StatusCode: 'FAILED',
    EndTime: new Date(clock.now() + 20_000).toISOString().replace(/\.\d+/, ''),
    DetailedStatusMessageSet: refused,
  });
});

test('a timeline that repeats adds activities with new IDs, of which the latest 10,000 stay', async () => {
  const emulator = await createEmulator({
    scenario: {
      ...scenario,
      timeline: [{ at: '1s', do: 'add-activity', ...ofGroup }],
      timeline_repeats_every: '2s',
    },
    clock: createManualClock(),
  });
  const total = () =>
    answerOf(emulator, { Action: 'DescribeAutoScalingActivities' }) as { TotalCount: number };

  emulator.advance('5s');
  expect(total()).toMatchObject({
    TotalCount: 6,
    ...activities(
      'asa-00000003',
      'asa-00000002',
      'asa-00000001',
      'asa-running0',
      'asa-failed00',
      'asa-5l2ejpfo',
    ),
  });
  const added = Array.from({ length: 10_000 }, (_, n) => ({
    id: numbered('asa', n),
    scaling_group: group.id,
  }));
  const [account] = emulator.scenario().accounts;
  const [state] = account!.regions!;
  const full = await createEmulator({ scenario: regionScenario({ ...state, activities: added }) });
  full.do({ do: 'add-activity', ...ofGroup });

  expect(full.state.accounts[0]!.regions[0]!.activities).toHaveLength(10_000);
  expect(full.state.accounts[0]!.regions[0]!.activities.at(-1)!.id).toBe('asa-00010000');
});

test('what instances are to keep secret is answered, and never written to a log', async () => {
  const lines: object[] = [];
  const debug = (_message: string, fields: object) => lines.push(fields);
  const emulator = await createEmulator({ scenario, log: { debug, warn: debug } });

  const answer = answerOf(emulator, { Action: 'DescribeLaunchConfigurations', Limit: '1' });
  answerOf(emulator, {
    Action: 'InquiryPriceRunInstances',
    UserData: 'c2VjcmV0',
    'LoginSettings.Password': 'c2VjcmV0',
  });

  expect(JSON.stringify(answer)).toContain('c2VjcmV0');
  expect(JSON.stringify([lines, emulator.requests.list()])).not.toContain('c2VjcmV0');
  expect(emulator.requests.list()[1]!.parameters).toMatchObject({
    UserData: '***',
    LoginSettings: '***',
  });
});
