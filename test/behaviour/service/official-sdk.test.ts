/** The official SDK, unmodified, against the emulator: each operation, in each form of signing and sending. */
import { CommonClient } from 'tencentcloud-sdk-nodejs-common';
import { cvm } from 'tencentcloud-sdk-nodejs-cvm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  startEmulator,
  type RunningEmulator,
  type ScenarioInput,
} from '../../../src/emulator/emulator.ts';

const zone = 'ap-guangzhou-3';
const LaunchTemplateId = 'lt-web00001';

const scenario = `
requests_per_second: 1000000
accounts:
  - name: keyed
    app_id: 4711
    keys: [{ secret_id: example-id, secret_key: example-key }]
    regions:
      - name: ap-guangzhou
        zones:
          - name: ${zone}
            postpaid: { used: 1, limit: 100 }
            prepaid: { used: 2, limit: 200, once_limit: 300 }
            instance_types: [{ type: S5.LARGE8, cpu: 2, memory: 8, price: 0.5 }]
          - { name: ap-guangzhou-4, state: UNAVAILABLE, postpaid: { limit: 5 } }
        image: { used: 6, limit: 10 }
        disaster_recover_group: { used: 25, limit: 10 }
        subnets: [{ id: subnet-bthucmmy, zone: ${zone}, total: 253, available: 1 }]
        placement_groups: [{ id: ps-1y147q03, used: 25, limit: 30 }]
        images: [img-8toqc6s3]
        disks: [{ type: CLOUD_SSD, availability: sold-out }]
        launch_configurations: [{ id: asc-ouy1ax38, instance_types: [S5.LARGE8] }]
        scaling_groups: [{ id: asg-12wjuh0s, launch_configuration: asc-ouy1ax38, zones: [${zone}], max_size: 9 }]
        activities: [{ id: asa-5l2ejpfo, scaling_group: asg-12wjuh0s, start_time: 2026-01-02T00:00:00Z }]
        launch_templates:
          - { id: ${LaunchTemplateId}, name: 'web "größe"', default_version: 2, versions: [1, 2, 47] }
          - { id: lt-none0002, name: batch, default_version: 1, versions: [1] }
      - { name: ap-seoul, state: UNAVAILABLE }
`;

let emulator: RunningEmulator;
beforeAll(async () => {
  emulator = await startEmulator({ scenario: parse(scenario) as ScenarioInput });
});
afterAll(() => emulator.close());

const filter = (Name: string, ...Values: string[]) => ({ Name, Values });
const versions = (...numbers: number[]) => ({
  TotalCount: numbers.length,
  LaunchTemplateVersionSet: numbers.map((LaunchTemplateVersion) => ({ LaunchTemplateVersion })),
});

const calls: readonly (readonly [action: string, parameters: object | null, expected: object])[] = [
  [
    'DescribeAccountQuota',
    {
      Filters: [filter('zone', zone), filter('quota-type', 'PostPaidQuotaSet', 'PrePaidQuotaSet')],
    },
    {
      AppId: 4_711,
      AccountQuotaOverview: {
        Region: 'ap-guangzhou',
        AccountQuota: {
          PostPaidQuotaSet: [{ Zone: zone, UsedQuota: 1, TotalQuota: 100, RemainingQuota: 99 }],
          PrePaidQuotaSet: [{ Zone: zone, UsedQuota: 2, TotalQuota: 200, OnceQuota: 300 }],
          SpotPaidQuotaSet: [],
          ImageQuotaSet: [],
        },
      },
    },
  ],
  ['DescribeAccountQuota', { Filters: [] }, { AccountQuotaOverview: { Region: 'ap-guangzhou' } }],
  [
    'DescribeLaunchTemplateVersions',
    { LaunchTemplateId, LaunchTemplateVersions: [1, 47] },
    versions(47, 1),
  ],
  [
    'DescribeLaunchTemplateVersions',
    { LaunchTemplateId, LaunchTemplateVersions: [], DefaultVersion: true },
    versions(2),
  ],
  [
    'DescribeLaunchTemplateVersions',
    { LaunchTemplateId, MinVersion: 0, MaxVersion: 1_000_000, Limit: 100, Offset: 0 },
    versions(47, 2, 1),
  ],
  [
    'DescribeRegions',
    null,
    {
      RegionSet: [
        { Region: 'ap-guangzhou', RegionState: 'AVAILABLE' },
        { Region: 'ap-seoul', RegionState: 'UNAVAILABLE' },
      ],
    },
  ],
  [
    'DescribeZones',
    null,
    {
      ZoneSet: [
        { Zone: zone, ZoneId: '100003', ZoneState: 'AVAILABLE' },
        { Zone: 'ap-guangzhou-4', ZoneId: '100004', ZoneState: 'UNAVAILABLE' },
      ],
    },
  ],
  [
    'DescribeLaunchTemplates',
    { LaunchTemplateIds: [], Filters: [filter('LaunchTemplateName', 'web "größe"')] },
    { TotalCount: 1, LaunchTemplateSet: [{ LaunchTemplateId }] },
  ],
  [
    'DescribeZoneInstanceConfigInfos',
    { Filters: [filter('instance-type', 'S5.LARGE8'), filter('instance-charge-type', 'SPOTPAID')] },
    { InstanceTypeQuotaSet: [{ Status: 'SELL', StatusCategory: 'EnoughStock' }] },
  ],
  ['DescribeImageQuota', null, { ImageNumQuota: 10 }],
  ['DescribeDisasterRecoverGroupQuota', null, { GroupQuota: 10, CurrentNum: 25 }],
  [
    'DescribeSubnets',
    { SubnetIds: ['subnet-bthucmmy'], Limit: '100' },
    { SubnetSet: [{ SubnetId: 'subnet-bthucmmy', AvailableIpAddressCount: 1 }] },
  ],
  [
    'DescribeDisasterRecoverGroups',
    { DisasterRecoverGroupIds: ['ps-1y147q03'], Limit: 100 },
    { DisasterRecoverGroupSet: [{ CvmQuotaTotal: 30, CurrentNum: 25 }] },
  ],
  [
    'InquiryPriceRunInstances',
    {
      LaunchTemplate: { LaunchTemplateId, LaunchTemplateVersion: 2 },
      Placement: { Zone: zone },
      ImageId: 'img-8toqc6s3',
      InstanceType: 'S5.LARGE8',
      InstanceCount: 2,
    },
    { Price: { InstancePrice: { UnitPrice: 1, ChargeUnit: 'HOUR' } } },
  ],
  [
    'DescribeDiskConfigQuota',
    {
      InquiryType: 'INQUIRY_CVM_CONFIG',
      Zones: [zone],
      DiskTypes: ['CLOUD_SSD'],
      DiskUsage: 'DATA_DISK',
      DiskChargeType: 'PREPAID',
      CPU: 2,
    },
    { DiskConfigSet: [{ Available: false, InstanceFamily: 'S5' }] },
  ],
  [
    'DescribeAutoScalingGroups',
    { Filters: [filter('launch-configuration-id', 'asc-ouy1ax38')], Offset: 0, Limit: 100 },
    { AutoScalingGroupSet: [{ AutoScalingGroupId: 'asg-12wjuh0s', ZoneSet: [zone] }] },
  ],
  [
    'DescribeLaunchConfigurations',
    { LaunchConfigurationIds: ['asc-ouy1ax38'] },
    { LaunchConfigurationSet: [{ InstanceTypes: ['S5.LARGE8'] }] },
  ],
  [
    'DescribeAutoScalingActivities',
    { Filters: [filter('activity-type', 'SCALE_OUT')], StartTime: '2026-01-01T23:55:00Z' },
    { ActivitySet: [{ ActivityId: 'asa-5l2ejpfo', StatusCode: 'SUCCESSFUL' }] },
  ],
];

const versionsOfOthers: Readonly<Record<string, string>> = {
  DescribeSubnets: '2017-03-12',
  DescribeDiskConfigQuota: '2017-03-12',
  DescribeAutoScalingGroups: '2018-04-19',
  DescribeLaunchConfigurations: '2018-04-19',
  DescribeAutoScalingActivities: '2018-04-19',
};

const forms = (['TC3-HMAC-SHA256', 'HmacSHA256', 'HmacSHA1'] as const).flatMap((signMethod) =>
  (['GET', 'POST'] as const).map((reqMethod) => [signMethod, reqMethod] as const),
);
type Form = (typeof forms)[number];

function clientOf([signMethod, reqMethod]: Form, action: string, secretKey = 'example-key') {
  const endpoint = emulator.url.replace('http://', '');
  const options = {
    credential: { secretId: 'example-id', secretKey },
    region: action === 'DescribeRegions' ? '' : 'ap-guangzhou',
    profile: { signMethod, httpProfile: { protocol: 'http://', endpoint, reqMethod } },
  };
  // There is no package of vpc, cbs or as alone.
  const version = versionsOfOthers[action];
  return version === undefined
    ? new cvm.v20170312.Client(options)
    : new CommonClient(endpoint, version, options);
}

test.each(forms)('The official SDK gets what it asks for, by %s and %s', async (...form) => {
  for (const [action, parameters, expected] of calls) {
    const answer: unknown = await clientOf(form, action).request(action, parameters);

    expect(answer, `${action} ${JSON.stringify(parameters)}`).toMatchObject(expected);
  }
});

test.each(forms)('The official SDK gets the code of a refusal, by %s and %s', async (...form) => {
  const action = 'DescribeAccountQuota';
  const odd = { Filters: [filter('größe', 'a b+c&d=e/~*!()')] };
  const versionsOf = 'DescribeLaunchTemplateVersions';
  const leftOut = { LaunchTemplateId: undefined };
  const [price, groups] = ['InquiryPriceRunInstances', 'DescribeAutoScalingGroups'] as const;
  const deleted = { Placement: { Zone: zone }, ImageId: 'img-deleted0' };
  const refusals = [
    [clientOf(form, action), action, odd, 'InvalidFilter'],
    [clientOf(form, action, 'another-key'), action, {}, 'AuthFailure.SignatureFailure'],
    [clientOf(form, versionsOf), versionsOf, leftOut, 'MissingParameter'],
    [clientOf(form, price), price, deleted, 'InvalidImageId.NotFound'],
    [clientOf(form, groups), groups, { Limit: 101 }, 'InvalidParameterValue.LimitExceeded'],
  ] as const;

  for (const [client, asked, parameters, code] of refusals) {
    const error = await client.request(asked, parameters).catch((thrown: unknown) => thrown);

    const requestId = emulator.requests.list().at(-1)?.request_id;
    expect(error).toMatchObject({ code, requestId });
  }
});
