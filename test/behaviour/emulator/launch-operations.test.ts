/** Actions that change what can be launched, and what else is about the operations on it. */
import { expect, test } from 'vitest';
import {
  createEmulator,
  createManualClock,
  type ActionInput,
  type Emulator,
} from '../../../src/emulator/emulator.ts';
import { answerOf, flat, scenarioOf, worldsOf } from '../../support/answer-rows.ts';
import { send } from '../../support/ask.ts';
import { rowsOf } from '../../support/rows.ts';

const scenario = scenarioOf(worldsOf('launches')[0]!);
const place = { region: 'ap-guangzhou' };
const ofGroup = { ...place, scaling_group_id: 'asg-12wjuh0s' };
const listOf = (emulator: Emulator, Action: string, set: string, query: object = {}) =>
  answerOf(emulator, { Action, ...flat(query) })[set] as readonly unknown[];

test('a fault for a template is applied to its prices alone', async () => {
  const emulator = await createEmulator({ scenario });
  const code = 'InvalidParameterValue.InvalidImageState';
  emulator.faults.add({ effect: 'error', code, template_id: 'lt-b8v1kcyq' });
  const price = (query: object) =>
    answerOf(emulator, { Action: 'InquiryPriceRunInstances', ...flat(query) });

  expect(price({ LaunchTemplate: { LaunchTemplateId: 'lt-b8v1kcyq' } })).toMatchObject({
    Error: { Code: code },
  });
  const other = { Placement: { Zone: 'ap-guangzhou-3' }, ImageId: 'img-8toqc6s3' };
  expect(price(other)).toMatchObject({ Price: { InstancePrice: { UnitPrice: 0.1 } } });
});

test('actions change groups, placement groups and disks, and no more of them', async () => {
  const emulator = await createEmulator({ scenario });
  const disks = () =>
    listOf(emulator, 'DescribeDiskConfigQuota', 'DiskConfigSet', {
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
    { do: 'set-subnet', ...place, subnet_id: 'subnet-bthucmmy', available: 0 },
    { ...disk, availability: 'available' },
  ]);

  const [group] = listOf(emulator, 'DescribeAutoScalingGroups', 'AutoScalingGroupSet');
  expect(group).toMatchObject({
    InstanceCount: 9,
    EnabledStatus: 'DISABLED',
    AutoScalingGroupStatus: 'CVM_ABNORMAL',
    MinSize: 1,
    MaxSize: 9,
    DesiredCapacity: 3,
  });
  const placed = listOf(emulator, 'DescribeDisasterRecoverGroups', 'DisasterRecoverGroupSet');
  expect(placed[0]).toMatchObject({ CurrentNum: 31, CvmQuotaTotal: 30 });
  const [subnet] = listOf(emulator, 'DescribeSubnets', 'SubnetSet');
  expect(subnet).toMatchObject({ AvailableIpAddressCount: 0, TotalIpAddressCount: 253 });
  expect(disks()).toMatchObject([{ Available: true }]);
  emulator.do({ ...inZone, availability: 'not-offered' });
  expect(disks()).toEqual([]);
  emulator.do({ ...inZone, availability: 'sold-out' });
  expect(disks()).toMatchObject([{ Available: false }]);
  expect(emulator.state.region(place).disks).toHaveLength(5);
});

test.each(rowsOf<[ActionInput, string]>('emulator', 'refused-actions'))(
  '%j is refused',
  async (action, problem) => {
    const emulator = await createEmulator({ scenario });

    expect(() => {
      emulator.do(action);
    }).toThrow(problem);
  },
);

test('an activity that is added lasts for its duration, and then has its status and refusals', async () => {
  const clock = createManualClock();
  const emulator = await createEmulator({ scenario, clock });
  const newest = () => listOf(emulator, 'DescribeAutoScalingActivities', 'ActivitySet')[0];
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
  const activities = Array.from({ length: 10_000 }, (_, n) => ({
    id: `asa-${String(n).padStart(8, '0')}`,
    scaling_group: 'asg-12wjuh0s',
  }));
  const regions = [{ ...scenario.accounts[0]!.regions![0]!, activities }];
  const emulator = await createEmulator({
    scenario: {
      accounts: [{ name: 'a', regions }],
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
  const emulator = await createEmulator({ scenario, log: { debug, warn: debug } });
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

test('Offset and Limit of DescribeSubnets are texts in JSON too', async () => {
  const emulator = await createEmulator({ scenario });
  const headers = {
    'x-tc-action': 'DescribeSubnets',
    'x-tc-version': '2017-03-12',
    'x-tc-region': 'ap-guangzhou',
    host: '127.0.0.1',
  };
  const codeOf = (body: object) =>
    send(emulator, { method: 'POST', headers, body: JSON.stringify(body) }).code;

  expect([codeOf({ Limit: '1' }), codeOf({ Limit: 1 })]).toEqual([null, 'InvalidParameter']);
});
