import { expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { answerOf, indexed, regionScenario, testRows } from '../../support/answer-rows.ts';

const region = 'ap-guangzhou';
const zone = 'ap-guangzhou-3';
const scenario = regionScenario({
  zones: [
    {
      name: zone,
      instance_types: [
        { type: 'S5.LARGE8', cpu: 2, memory: 8 },
        { type: 'S5.LARGE16', cpu: 2, memory: 16 },
        { type: 'SA2.LARGE4', cpu: 2, memory: 4, charge_types: ['spotpaid'] },
      ],
    },
    { name: 'ap-guangzhou-4', instance_types: [{ type: 'S5.LARGE8', cpu: 2, memory: 8 }] },
    { name: 'ap-guangzhou-5' },
  ],
  disks: [
    { type: 'CLOUD_HSSD', availability: 'not-offered' },
    { type: 'CLOUD_SSD', zone, usage: 'SYSTEM_DISK', availability: 'sold-out' },
    { type: 'CLOUD_TSSD', instance_family: 'S5', availability: 'sold-out', omit: ['DeviceClass'] },
    { type: 'CLOUD_TSSD', charge_type: 'prepaid', availability: 'available' },
  ],
});

const one = {
  InquiryType: 'INQUIRY_CVM_CONFIG',
  DiskUsage: 'SYSTEM_DISK',
  DiskChargeType: 'POSTPAID_BY_HOUR',
  ...indexed('Zones', [zone]),
  ...indexed('InstanceFamilies', ['S5']),
};
const disk = (type: string) => ({ ...one, ...indexed('DiskTypes', [type]) });
const rows = (...expected: readonly object[]) => ({ DiskConfigSet: expected });

testRows('DescribeDiskConfigQuota', scenario, [
  [
    'every field of a disk',
    disk('CLOUD_PREMIUM'),
    rows({
      Available: true,
      Zone: zone,
      DiskType: 'CLOUD_PREMIUM',
      DiskUsage: 'SYSTEM_DISK',
      DiskChargeType: 'POSTPAID_BY_HOUR',
      InstanceFamily: 'S5',
      DeviceClass: null,
      MinDiskSize: 20,
      MaxDiskSize: 32_000,
      StepSize: 10,
    }),
  ],
  [
    'each type of disk that is offered',
    one,
    rows(
      ...['CLOUD_BASIC', 'CLOUD_PREMIUM', 'CLOUD_BSSD', 'CLOUD_SSD', 'CLOUD_TSSD'].map(
        (DiskType) => ({ DiskType }),
      ),
    ),
  ],
  [
    'each family of each zone, usage and charge type',
    { InquiryType: 'INQUIRY_CVM_CONFIG', ...indexed('DiskTypes', ['CLOUD_BASIC']) },
    { DiskConfigSet: expect.toSatisfy((all: readonly unknown[]) => all.length === 3 * 2 * 2) },
  ],
  ['what is sold out in a zone', disk('CLOUD_SSD'), rows({ Available: false })],
  [
    'what it has in another',
    { ...disk('CLOUD_SSD'), 'Zones.0': 'ap-guangzhou-4' },
    rows({ Available: true }),
  ],
  [
    'what it has for another usage',
    { ...disk('CLOUD_SSD'), DiskUsage: 'DATA_DISK' },
    rows({ Available: true }),
  ],
  ['what is sold out for a family', disk('CLOUD_TSSD'), rows({ Available: false })],
  [
    'what it has for another',
    { ...disk('CLOUD_TSSD'), 'InstanceFamilies.0': 'SA2' },
    rows({ Available: true }),
  ],
  [
    'what the later of two entries says',
    { ...disk('CLOUD_TSSD'), DiskChargeType: 'PREPAID' },
    rows({ Available: true, DeviceClass: null }),
  ],
  ['no row of what is not offered', disk('CLOUD_HSSD'), rows()],
  [
    'no row for a family that the zone does not sell',
    { ...one, 'InstanceFamilies.0': 'S6' },
    rows(),
  ],
  ['the families with such a size', { ...disk('CLOUD_BASIC'), CPU: '2', Memory: '16' }, rows({})],
  ['no row for another size', { ...disk('CLOUD_BASIC'), CPU: '4' }, rows()],
  ['a refusal without InquiryType', {}, 'MissingParameter'],
  [
    'a refusal of disks without instances',
    { InquiryType: 'INQUIRY_CBS_CONFIG' },
    'UnsupportedOperation',
  ],
  ['a refusal of another InquiryType', { InquiryType: 'x' }, 'InvalidParameterValue'],
  ['a refusal of an unknown zone', { ...one, 'Zones.0': 'ap-tokyo-1' }, 'InvalidParameterValue'],
  ['a refusal of an unknown type', disk('LOCAL_SSD'), 'InvalidParameterValue'],
  ['a refusal of an unknown usage', { ...one, DiskUsage: 'x' }, 'InvalidParameterValue'],
  [
    'a refusal of an unknown charge type',
    { ...one, DiskChargeType: 'SPOTPAID' },
    'InvalidParameterValue',
  ],
  ['a refusal of paging', { ...one, Limit: '1' }, 'UnknownParameter'],
]);

test('actions change whether disks can be had, and the last one counts', async () => {
  const emulator = await createEmulator({ scenario });
  const { state } = emulator;
  const available = () =>
    answerOf(emulator, { Action: 'DescribeDiskConfigQuota', ...disk('CLOUD_SSD') }).DiskConfigSet;
  const set = { do: 'set-disk', region, disk_type: 'CLOUD_SSD' } as const;

  emulator.do({ ...set, availability: 'available' });
  expect(available()).toMatchObject([{ Available: true }]);
  emulator.do({ ...set, zone, usage: 'SYSTEM_DISK', availability: 'not-offered' });
  expect(available()).toEqual([]);
  emulator.do({ ...set, zone, usage: 'SYSTEM_DISK', availability: 'sold-out' });
  expect(available()).toMatchObject([{ Available: false }]);

  expect(state.region({ region }).disks).toHaveLength(5);
  expect(() => {
    emulator.do({ ...set, zone: 'ap-guangzhou-9', availability: 'sold-out' });
  }).toThrow('zone: ap-guangzhou has no zone ap-guangzhou-9');
});
