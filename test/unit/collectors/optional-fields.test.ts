/** What is read of each optional field of every answer while it is absent, null or unreadable. */
import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import type { Target } from '../../../src/model/target.ts';
import { quotaTarget, templateListTarget, templateTarget } from '../../support/fake-monitor.ts';
import { PolledTarget } from '../../support/polled-target.ts';

const region = 'ap-guangzhou';
const zone = `${region}-3`;
const place = { account: 'production', region };
const systemDisk = { type: 'CLOUD_BSSD', usage: 'SYSTEM_DISK' };
const disk = { ...systemDisk, family: 'S5', chargeType: 'prepaid' };
const offer = { instanceType: 'S5.LARGE8', chargeType: 'postpaid' };

/** The targets, and an answer to each in which every field is readable. */
const answers: Readonly<Record<string, readonly [Target, object]>> = {
  DescribeLaunchTemplateVersions: [
    templateTarget('production', region, 'lt-1'),
    {
      TotalCount: 1,
      LaunchTemplateVersionSet: [
        {
          LaunchTemplateId: 'lt-1',
          LaunchTemplateVersion: 1,
          IsDefaultVersion: true,
          LaunchTemplateVersionData: {
            ImageId: 'img-1',
            InstanceType: 'S5.LARGE8',
            InstanceChargeType: 'PREPAID',
            InstanceCount: 3,
            Placement: { Zone: zone },
            VirtualPrivateCloud: { SubnetId: 'subnet-a', Ipv6AddressCount: 2 },
            SystemDisk: { DiskType: 'CLOUD_BSSD' },
            DataDisks: [{ DiskType: 'CLOUD_HSSD' }, { DiskType: 'CLOUD_HSSD' }],
            DisasterRecoverGroupIds: ['ps-1'],
          },
        },
      ],
    },
  ],
  DescribeLaunchTemplates: [
    templateListTarget('production', region),
    {
      TotalCount: 1,
      LaunchTemplateSet: [
        {
          LaunchTemplateId: 'lt-1',
          LaunchTemplateName: 'web',
          DefaultVersionNumber: 1,
          LatestVersionNumber: 2,
          LaunchTemplateVersionCount: 2,
        },
      ],
    },
  ],
  DescribeRegions: [
    collectors.regionDiscovery!.target('production'),
    { TotalCount: 1, RegionSet: [{ Region: region, RegionState: 'AVAILABLE' }] },
  ],
  DescribeZoneInstanceConfigInfos: [
    {
      ...place,
      operation: 'DescribeZoneInstanceConfigInfos',
      needs: [{ ...offer, zone }],
      launches: [],
      isInternational: false,
    } as Target,
    {
      InstanceTypeQuotaSet: [
        {
          Zone: zone,
          InstanceType: 'S5.LARGE8',
          InstanceChargeType: 'POSTPAID_BY_HOUR',
          Status: 'SELL',
          StatusCategory: 'EnoughStock',
          Cpu: 2,
        },
      ],
    },
  ],
  DescribeSubnets: [
    { ...place, operation: 'DescribeSubnets', subnets: ['subnet-a'] } as Target,
    {
      TotalCount: 1,
      SubnetSet: [
        {
          SubnetId: 'subnet-a',
          Zone: zone,
          AvailableIpAddressCount: 9,
          TotalIpAddressCount: 9,
          Ipv6CidrBlock: '2402:4e00::/64',
        },
      ],
    },
  ],
  DescribeDiskConfigQuota: [
    {
      ...place,
      operation: 'DescribeDiskConfigQuota',
      needs: [{ ...disk, zone: '' }],
    } as Target,
    {
      DiskConfigSet: [
        {
          Available: true,
          Zone: zone,
          DiskType: 'CLOUD_BSSD',
          DiskUsage: 'SYSTEM_DISK',
          DiskChargeType: 'PREPAID',
          InstanceFamily: 'S5',
        },
      ],
    },
  ],
  DescribeAccountQuota: [
    quotaTarget('production', region),
    {
      AppId: 7,
      AccountQuotaOverview: {
        Region: region,
        AccountQuota: {
          PrePaidQuotaSet: [
            { Zone: zone, UsedQuota: 1, RemainingQuota: 9, TotalQuota: 10, OnceQuota: 5 },
          ],
          DisasterRecoverGroupQuotaSet: [
            {
              CurrentNum: 1,
              GroupQuota: 10,
              CvmInHostGroupQuota: 50,
              CvmInSwitchGroupQuota: 51,
              CvmInRackGroupQuota: 52,
            },
          ],
        },
      },
    },
  ],
  DescribeDisasterRecoverGroupQuota: [
    { ...place, operation: 'DescribeDisasterRecoverGroupQuota' },
    { CurrentNum: 1, GroupQuota: 10, CvmInHostGroupQuota: 50 },
  ],
};

/** A copy of an answer with another value in a place. `undefined` takes the field away. */
function withField(answer: object, path: string, value: unknown): object {
  const copy = structuredClone(answer);
  const keys = path.split('.');
  const last = keys.pop()!;
  // oxlint-disable-next-line typescript/no-explicit-any
  const owner = keys.reduce((part: any, key) => part[key], copy);
  owner[last] = value;
  return JSON.parse(JSON.stringify(copy)) as object;
}

/** What a record says after an answer. */
const facts = ({ record }: PolledTarget) => collectors.of(record.target).launchFacts(record);
// oxlint-disable-next-line typescript/no-explicit-any
const snapshot = ({ record }: PolledTarget) => record.observed.snapshot as any;
const launch = (field: string) => (polled: PolledTarget) =>
  facts(polled).launches?.map((each) =>
    'unjudged' in each ? 'not judged' : each[field as 'zone'],
  )[0];
const row = (field: string) => (polled: PolledTarget) => snapshot(polled).rows[0][field];
const isWhole = (polled: PolledTarget) => snapshot(polled).isWhole;
const listed = (field: string) => (polled: PolledTarget) => snapshot(polled).templates[0][field];
const version = (field: string) => (polled: PolledTarget) =>
  snapshot(polled).defaultVersion?.[field];
const hasIpv6 = (polled: PolledTarget) => facts(polled).subnets?.[0]?.hasIpv6;
const regionsOf = (record: TargetRecord) => collectors.regionDiscovery?.regions(record);
const groupLimit = (level: string) => (polled: PolledTarget) =>
  snapshot(polled).quotas[1].instanceLimits[level];
const quotasOf = (record: TargetRecord) => collectors.of(record.target).quotas(record);
const quota = (i: number, field: string) => (polled: PolledTarget) =>
  snapshot(polled).quotas[i][field];
const dataDisk = { type: 'CLOUD_HSSD', usage: 'DATA_DISK' };
const disks = [systemDisk, dataDisk];
const unprintable = 'a\u0000';
const account = 'AccountQuotaOverview.AccountQuota';

/** What is read while the field is there, absent or null, and unreadable, with examples. */
type Case = readonly [
  field: string,
  read: (polled: PolledTarget) => unknown,
  present: unknown,
  absent: unknown,
  unreadable: unknown,
  odd: readonly unknown[],
];

/** By operation and the place of the fields. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  'DescribeLaunchTemplateVersions LaunchTemplateVersionSet.0.LaunchTemplateVersionData.': [
    ['InstanceChargeType', launch('chargeType'), 'prepaid', 'postpaid', null, [7, {}, 'NEWPAID']],
    ['InstanceType', launch('instanceType'), 'S5.LARGE8', 'not judged', null, [7, unprintable]],
    ['InstanceCount', launch('count'), 3, 1, null, ['3', 0, 1.5]],
    ['Placement', launch('zone'), zone, '', null, [7, 'x']],
    ['Placement.Zone', launch('zone'), zone, '', null, [7, 'ap-x-1', unprintable]],
    ['VirtualPrivateCloud', launch('subnets'), ['subnet-a'], [], null, [7]],
    ['VirtualPrivateCloud.SubnetId', launch('subnets'), ['subnet-a'], [], null, [7, unprintable]],
    ['VirtualPrivateCloud', launch('ipv6Count'), 2, 0, null, [7]],
    ['VirtualPrivateCloud.Ipv6AddressCount', launch('ipv6Count'), 2, 0, null, ['2', -1]],
    ['SystemDisk', launch('disks'), disks, [dataDisk], null, [7]],
    ['SystemDisk.DiskType', launch('disks'), disks, [dataDisk], null, [7, unprintable, 'NEW']],
    ['SystemDisk.DiskType', launch('disks'), disks, [dataDisk], [dataDisk], ['LOCAL_BASIC', '']],
    ['DataDisks', launch('disks'), disks, [systemDisk], null, [7, [7]]],
    ['DataDisks.1.DiskType', launch('disks'), disks, disks, null, [7, 'NEW']],
    ['DisasterRecoverGroupIds', launch('placementGroups'), ['ps-1'], [], null, ['ps-1', [7]]],
    ['ImageId', version('imageId'), 'img-1', '', null, [7]],
  ],
  'DescribeLaunchTemplateVersions LaunchTemplateVersionSet.0.': [
    // The data of a version is not optional.
    ['LaunchTemplateVersionData', launch('instanceType'), 'S5.LARGE8', null, null, [7]],
    ['LaunchTemplateVersionData', launch('count'), 3, null, null, [7]],
    ['LaunchTemplateId', version('version'), 1, 1, 1, [7]],
    ['IsDefaultVersion', version('version'), 1, undefined, undefined, ['yes']],
  ],
  'DescribeLaunchTemplateVersions ': [
    ['TotalCount', ({ record }) => quotasOf(record)[0]?.used, 1, 1, 1, ['1']],
  ],
  'DescribeLaunchTemplates LaunchTemplateSet.0.': [
    ['LaunchTemplateName', listed('name'), 'web', '', '', [7]],
    ['DefaultVersionNumber', listed('defaultVersion'), 1, null, null, ['1', -1]],
    ['LatestVersionNumber', listed('latestVersion'), 2, null, null, ['2']],
    ['LaunchTemplateVersionCount', listed('versions'), 2, null, null, ['2']],
  ],
  // A region may be available until the service says that it is not.
  'DescribeRegions RegionSet.0.': [
    ['RegionState', ({ record }) => regionsOf(record), [region], [region], [region], [7, 'NEW']],
  ],
  'DescribeZoneInstanceConfigInfos InstanceTypeQuotaSet.0.': [
    ['Status', row('sells'), true, null, null, [7, 'NEW']],
    ['StatusCategory', row('level'), 3, null, null, [7, 'NEW']],
    ['Cpu', row('cpu'), 2, null, null, ['2', 0]],
    ['InstanceChargeType', row('sells'), true, null, null, [7, 'NEWPAID']],
  ],
  'DescribeDiskConfigQuota DiskConfigSet.0.': [
    ['Available', row('isAvailable'), true, null, null, [7, 'true']],
    ['Zone', isWhole, true, false, false, [7]],
    ['DiskType', isWhole, true, false, false, [7, unprintable]],
    ['DiskUsage', isWhole, true, false, false, [7]],
    ['DiskChargeType', isWhole, true, false, false, [7]],
    ['InstanceFamily', isWhole, true, false, false, [7]],
  ],
  'DescribeSubnets ': [
    ['SubnetSet.0.Ipv6CidrBlock', hasIpv6, true, null, null, [7]],
    ['TotalCount', (polled) => snapshot(polled).missing, [], [], [], ['1']],
  ],
  'DescribeAccountQuota ': [
    [`${account}.PrePaidQuotaSet.0.OnceQuota`, quota(0, 'onceLimit'), 5, undefined, null, ['5']],
    ['AppId', (polled) => snapshot(polled).appId, 7, null, null, ['7']],
    ['AccountQuotaOverview.Region', quota(0, 'limit'), 10, 10, 10, [7]],
  ],
  [`DescribeAccountQuota ${account}.DisasterRecoverGroupQuotaSet.0.`]: [
    ['CvmInHostGroupQuota', groupLimit('host'), 50, null, null, ['9']],
    ['CvmInSwitchGroupQuota', groupLimit('switch'), 51, null, null, ['9']],
    ['CvmInRackGroupQuota', groupLimit('rack'), 52, null, null, ['9']],
  ],
  'DescribeDisasterRecoverGroupQuota ': [
    ['CvmInHostGroupQuota', quota(0, 'remaining'), 9, 9, 9, ['50']],
  ],
};

it.each(
  Object.entries(cases).flatMap(([place, rows]) => {
    const [operation = '', prefix = ''] = place.split(' ');
    return rows.map(([field, ...read]) => [operation, `${prefix}${field}`, ...read] as const);
  }),
)(
  'an answer of %s has %s, lacks it or has null, which is the same, or has it unreadable',
  async (operation, path, read, present, absent, unreadable, odd) => {
    const [target, answer] = answers[operation]!;
    const readOf = async (fields: object) => {
      const polled = new PolledTarget(target);
      // A list without a total ends with an empty page.
      expect(await polled.poll(fields, {})).toMatchObject({ code: null });
      return read(polled);
    };

    expect(await readOf(answer)).toEqual(present);
    for (const value of [undefined, null]) {
      expect(await readOf(withField(answer, path, value))).toEqual(absent);
    }
    for (const value of odd) {
      expect(await readOf(withField(answer, path, value))).toEqual(unreadable);
    }
  },
);

it('a subnet with an empty IPv6 block has none', async () => {
  const [target, answer] = answers.DescribeSubnets!;
  const polled = new PolledTarget(target);
  await polled.poll(withField(answer, 'SubnetSet.0.Ipv6CidrBlock', ''));

  expect(hasIpv6(polled)).toBe(false);
});
