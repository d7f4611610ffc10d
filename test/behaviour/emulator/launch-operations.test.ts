/** The operations that say what can be launched, and the actions that change their answers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  createEmulator,
  createManualClock,
  type ActionInput,
  type Emulator,
} from '../../../src/emulator/emulator.ts';
import {
  answerOf,
  filters,
  flat,
  indexed,
  regionScenario,
  testRows,
} from '../../support/answer-rows.ts';
import type { RegionInput } from '../../support/emulator.ts';

type Row = readonly [what: string, parameters: object, expected: string | Record<string, unknown>];
const file = join(import.meta.dirname, '../../support/fixtures/emulator/launch-operations.yaml');
const fixture = parse(readFileSync(file, 'utf8'), { merge: true }) as {
  readonly region: RegionInput;
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  readonly versions: readonly (readonly [what: string, data: object, expected: number | string])[];
};

const many = (prefix: string, count = 120) =>
  Array.from({ length: count }, (_, n) => `${prefix}-${String(n).padStart(8, '0')}`);
const image = 'img-8toqc6s3';
const launch = {
  Placement: { Zone: 'ap-guangzhou-3' },
  ImageId: image,
  InstanceType: 'S5.LARGE8',
  DataDisks: [{ DiskSize: 50 }, { SnapshotId: 'snap-r8hr2upy' }],
  DisasterRecoverGroupIds: ['ps-1y147q03'],
};
const scenario = (change: Partial<RegionInput> = {}) => {
  const { region } = fixture;
  const configurations = many('asc').map((id) => ({ id, instance_types: ['S5.LARGE8'] }));
  const groups = many('asg').map((id) => ({
    id,
    launch_configuration: 'asc-00000000',
    max_size: 1,
  }));
  const versions = fixture.versions.map(([, data], n) => ({
    version: n + 1,
    data: { ...launch, ...data },
  }));
  return regionScenario({
    ...region,
    launch_configurations: [...region.launch_configurations!, ...configurations],
    scaling_groups: [...region.scaling_groups!, ...groups],
    placement_groups: [...region.placement_groups!, ...many('ps').map((id) => ({ id, limit: 50 }))],
    launch_templates: [{ id: 'lt-b8v1kcyq', default_version: 1, versions }],
    ...change,
  });
};

for (const [action, rows] of Object.entries(fixture.rows)) {
  const named = rows.map(([what, parameters, expected]) => {
    const name = typeof expected === 'string' ? `a refusal of ${what}` : what;
    return [name, flat(parameters), expected] as const;
  });
  testRows(action, scenario(), named);
}

/** Requests that are too long for a table. */
const tooMany = (idsName: string, prefix: string, count: number, code: string) =>
  [`a refusal of ${count} IDs`, indexed(idsName, many(prefix, count)), code] as const;
const tooManyFilters = [
  [
    'a refusal of an unknown filter',
    filters(['colour', 'red']),
    'InvalidParameterValue.InvalidFilter',
  ],
  [
    'a refusal of 6 values of a filter',
    filters(['x', '1', '2', '3', '4', '5', '6']),
    'LimitExceeded.FilterValuesTooLong',
  ],
  [
    'a refusal of 11 filters',
    filters(...many('x', 11).map((name) => [name, '1'] as const)),
    'LimitExceeded.FilterValuesTooLong',
  ],
] as const;
const limit = 'InvalidParameterValue.LimitExceeded';

testRows('DescribeAutoScalingGroups', scenario(), [
  tooMany('AutoScalingGroupIds', 'asg', 101, limit),
  ...tooManyFilters,
]);
testRows('DescribeLaunchConfigurations', scenario(), [
  tooMany('LaunchConfigurationIds', 'asc', 101, 'InvalidParameterValue.TooLong'),
  ...tooManyFilters,
]);
testRows('DescribeAutoScalingActivities', scenario(), [
  tooMany('ActivityIds', 'asa', 101, limit),
  ...tooManyFilters,
]);
testRows('DescribeDisasterRecoverGroups', scenario(), [
  tooMany('DisasterRecoverGroupIds', 'ps', 11, limit),
  ['a refusal of an unknown filter', filters(['colour', 'red']), 'InvalidFilter'],
]);

const tags = { 'tag-key': 'team', 'tag-value': 'web', 'tag:team': 'web' };
test.each<[action: string, id: string, values: Readonly<Record<string, string>>]>([
  [
    'DescribeAutoScalingGroups',
    'asg-12wjuh0s',
    {
      'auto-scaling-group-id': 'asg-12wjuh0s',
      'auto-scaling-group-name': 'web-group',
      'vague-auto-scaling-group-name': 'eb-gr',
      ...tags,
    },
  ],
  ['DescribeAutoScalingGroups', 'asg-00000000', { 'launch-configuration-id': 'asc-00000000' }],
  [
    'DescribeLaunchConfigurations',
    'asc-ouy1ax38',
    {
      'launch-configuration-id': 'asc-ouy1ax38',
      'launch-configuration-name': 'web-configuration',
      'vague-launch-configuration-name': 'web',
      ...tags,
    },
  ],
  [
    'DescribeAutoScalingActivities',
    'asa-running0',
    {
      'auto-scaling-group-id': 'asg-disabled',
      'activity-status-code': 'RUNNING',
      'activity-type': 'SCALE_IN',
      'activity-id': 'asa-running0',
    },
  ],
  ['DescribeDisasterRecoverGroups', 'ps-1y147q03', tags],
])('the filters of %s select %s', async (Action, id, values) => {
  const emulator = await createEmulator({ scenario: { ...scenario(), requests_per_second: 100 } });

  for (const [name, value] of Object.entries(values)) {
    const { TotalCount, ...sets } = answerOf(emulator, {
      Action,
      ...filters([name, 'other', value]),
    });
    expect(JSON.stringify(sets), name).toContain(`Id":"${id}"`);
    expect(TotalCount, name).toBe(
      name === 'launch-configuration-id' && id === 'asg-00000000' ? 120 : 1,
    );
  }
});

const ofTemplate = (version: number) =>
  flat({
    LaunchTemplate: { LaunchTemplateId: 'lt-b8v1kcyq', LaunchTemplateVersion: version },
  });
const priced = (UnitPrice: number) => ({ Price: { InstancePrice: { UnitPrice } } });

testRows(
  'InquiryPriceRunInstances',
  scenario(),
  fixture.versions.map(([what, , expected], n) => [
    `${typeof expected === 'string' ? 'a refusal' : 'the price'} of a version with ${what}`,
    ofTemplate(n + 1),
    typeof expected === 'string' ? expected : priced(expected),
  ]),
);
testRows(
  'InquiryPriceRunInstances',
  scenario({ images: undefined }),
  [['a price for each image', ofTemplate(6), priced(0.5)]],
  'when the scenario lists no images',
);

test('a fault for a template is applied to its prices alone', async () => {
  const emulator = await createEmulator({ scenario: scenario() });
  const code = 'InvalidParameterValue.InvalidImageState';
  emulator.faults.add({ effect: 'error', code, template_id: 'lt-b8v1kcyq' });
  const price = (query: Readonly<Record<string, string>>) =>
    answerOf(emulator, { Action: 'InquiryPriceRunInstances', ...query });

  expect(price(ofTemplate(1))).toMatchObject({ Error: { Code: code } });
  expect(price(flat({ Placement: launch.Placement, ImageId: image }))).toMatchObject(priced(0.1));
});

const place = { region: 'ap-guangzhou' };
const ofGroup = { ...place, scaling_group_id: 'asg-12wjuh0s' };
const rowsOf = (emulator: Emulator, Action: string, set: string, query: object = {}) =>
  answerOf(emulator, { Action, ...flat(query) })[set] as readonly unknown[];

test('actions change groups, placement groups and disks, and no more of them', async () => {
  const emulator = await createEmulator({ scenario: scenario() });
  const disks = () =>
    rowsOf(emulator, 'DescribeDiskConfigQuota', 'DiskConfigSet', {
      InquiryType: 'INQUIRY_CVM_CONFIG',
      InstanceFamilies: ['S5'],
      DiskTypes: ['CLOUD_SSD'],
      DiskUsage: 'SYSTEM_DISK',
      DiskChargeType: 'PREPAID',
    });
  const disk = { do: 'set-disk', ...place, disk_type: 'CLOUD_SSD' } as const;
  const inZone = { ...disk, zone: 'ap-guangzhou-3', usage: 'SYSTEM_DISK' } as const;

  emulator.do([
    { do: 'set-scaling-group', ...ofGroup, instances: 9, enabled: false, status: 'CVM_ABNORMAL' },
    { do: 'set-placement-group', ...place, placement_group_id: 'ps-1y147q03', used: 31 },
    { ...disk, availability: 'available' },
  ]);

  const [group] = rowsOf(emulator, 'DescribeAutoScalingGroups', 'AutoScalingGroupSet');
  expect(group).toMatchObject({
    InstanceCount: 9,
    EnabledStatus: 'DISABLED',
    AutoScalingGroupStatus: 'CVM_ABNORMAL',
    MinSize: 1,
    MaxSize: 9,
    DesiredCapacity: 3,
  });
  const placed = rowsOf(emulator, 'DescribeDisasterRecoverGroups', 'DisasterRecoverGroupSet');
  expect(placed[0]).toMatchObject({ CurrentNum: 31, CvmQuotaTotal: 30 });
  expect(disks()).toMatchObject([{ Available: true }]);
  emulator.do({ ...inZone, availability: 'not-offered' });
  expect(disks()).toEqual([]);
  emulator.do({ ...inZone, availability: 'sold-out' });
  expect(disks()).toMatchObject([{ Available: false }]);
  expect(emulator.state.region(place).disks).toHaveLength(5);
});

test.each<[ActionInput, string]>([
  [{ do: 'set-scaling-group', ...ofGroup, max_size: 2 }, 'desired_capacity: must be from min_size'],
  [
    { do: 'set-placement-group', ...place, placement_group_id: 'ps-notthere', used: 1 },
    'placement_group_id: ap-guangzhou has no placement group ps-notthere',
  ],
  [
    { do: 'add-activity', ...ofGroup, activity_id: 'asa-failed00' },
    'activity_id: ap-guangzhou has asa-failed00 already',
  ],
])('%j is refused', async (action, problem) => {
  const emulator = await createEmulator({ scenario: scenario() });

  expect(() => {
    emulator.do(action);
  }).toThrow(problem);
});

test('an activity that is added lasts for its duration, and then has its status and refusals', async () => {
  const clock = createManualClock();
  const emulator = await createEmulator({ scenario: scenario(), clock });
  const newest = () => rowsOf(emulator, 'DescribeAutoScalingActivities', 'ActivitySet')[0];
  const time = (afterMs: number) =>
    new Date(clock.now() + afterMs).toISOString().replace(/\.\d+/, '');
  const refusals = [{ Code: 'LimitExceeded.UserSpotQuota' }];
  const lasting = { StatusCode: 'RUNNING', EndTime: null, DetailedStatusMessageSet: [] };

  emulator.do({ do: 'add-activity', ...ofGroup, status: 'FAILED', duration: '20s', refusals });

  const added = { ActivityId: 'asa-00000001', StartTime: time(0) };
  expect(newest()).toMatchObject({ ...added, ...lasting });
  emulator.advance('19s');
  expect(newest()).toMatchObject(lasting);
  emulator.advance('1s');
  expect(newest()).toMatchObject({
    ...added,
    StatusCode: 'FAILED',
    EndTime: time(20_000),
    DetailedStatusMessageSet: refusals,
  });
});

test('a timeline that repeats adds activities with new IDs, of which the latest 10,000 stay', async () => {
  const full = many('asa', 10_000).map((id) => ({ id, scaling_group: 'asg-12wjuh0s' }));
  const emulator = await createEmulator({
    scenario: {
      ...scenario({ activities: full }),
      timeline: [{ at: '1s', do: 'add-activity', ...ofGroup }],
      timeline_repeats_every: '2s',
    },
    clock: createManualClock(),
  });

  emulator.advance('3s');

  const ids = emulator.state.region(place).activities.map(({ id }) => id);
  expect([ids.length, ids[0], ...ids.slice(-2)]).toEqual([
    10_000,
    'asa-00000002',
    'asa-00010000',
    'asa-00010001',
  ]);
});

test('what instances are to keep secret is answered, and never written to a log', async () => {
  const lines: object[] = [];
  const debug = (_message: string, fields: object) => lines.push(fields);
  const emulator = await createEmulator({ scenario: scenario(), log: { debug, warn: debug } });
  const secrets = { UserData: 'c2VjcmV0', LoginSettings: { Password: 'c2VjcmV0' } };

  const answer = answerOf(emulator, { Action: 'DescribeLaunchConfigurations', Limit: '1' });
  answerOf(emulator, { Action: 'InquiryPriceRunInstances', ...flat(secrets) });

  expect(JSON.stringify(answer)).toContain('c2VjcmV0');
  expect(JSON.stringify([lines, emulator.requests.list()])).not.toContain('c2VjcmV0');
  expect(emulator.requests.list()[1]!.parameters).toEqual({
    UserData: '***',
    LoginSettings: '***',
  });
});
