import { expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { answerOf, regionScenario, testRows } from '../../support/answer-rows.ts';

const zone = 'ap-guangzhou-3';
const types = [
  { type: 'S5.LARGE8', cpu: 2, memory: 8, price: 0.5, charge_types: ['postpaid', 'prepaid'] },
  { type: 'SA2.LARGE8', cpu: 2, memory: 8 },
  { type: 'SA3.LARGE8', cpu: 2, memory: 8, stock: 'WithoutStock' },
] as const;
const fine = {
  Placement: { Zone: zone },
  ImageId: 'img-8toqc6s3',
  InstanceType: 'S5.LARGE8',
  DataDisks: [{ DiskSize: 50 }, { SnapshotId: 'snap-r8hr2upy' }],
  DisasterRecoverGroupIds: ['ps-1y147q03'],
};
/** What a version says, and the price that it gets, or the code that refuses it. */
const versions: readonly (readonly [what: string, data: object, expected: number | string])[] = [
  ['what exists', {}, 0.5],
  ['several instances', { InstanceCount: 4 }, 2],
  ['a type without a price', { InstanceType: 'SA2.LARGE8' }, 0.1],
  ['no type', { InstanceType: null }, 0.1],
  ['fields of another form', { InstanceType: 7, InstanceCount: 'x', DataDisks: 'x' }, 0.1],
  ['another image', { ImageId: 'img-deleted0' }, 'InvalidImageId.NotFound'],
  ['a malformed image', { ImageId: 'x' }, 'InvalidImageId.Malformed'],
  ['no image', { ImageId: null }, 'MissingParameter'],
  [
    'a zone that does not exist',
    { Placement: { Zone: 'ap-guangzhou-9' } },
    'InvalidParameterValue.ZoneNotSupported',
  ],
  ['another type', { InstanceType: 'S6.LARGE8' }, 'InvalidParameterValue.InstanceTypeNotFound'],
  ['a malformed type', { InstanceType: 'x' }, 'InvalidInstanceType.Malformed'],
  [
    'a type that the zone does not sell',
    { Placement: { Zone: 'ap-guangzhou-4' } },
    'ResourceUnavailable.InstanceType',
  ],
  [
    'a charge type that it is not sold for',
    { InstanceChargeType: 'SPOTPAID' },
    'ResourceUnavailable.InstanceType',
  ],
  ['another charge type', { InstanceChargeType: 'FREE' }, 'InvalidParameterValue'],
  [
    'a type that is sold out',
    { InstanceType: 'SA3.LARGE8' },
    'ResourcesSoldOut.SpecifiedInstanceType',
  ],
  [
    'another snapshot',
    { DataDisks: [{ SnapshotId: 'snap-deleted0' }] },
    'InvalidParameter.SnapshotNotFound',
  ],
  [
    'a malformed snapshot',
    { DataDisks: [{ SnapshotId: 'x' }] },
    'InvalidParameterValue.SnapshotIdMalformed',
  ],
  [
    'another placement group',
    { DisasterRecoverGroupIds: ['ps-deleted0'] },
    'FailedOperation.DisasterRecoverGroupNotFound',
  ],
  [
    'a placement group that lacks room',
    { InstanceCount: 6 },
    'ResourceInsufficient.DisasterRecoverGroupCvmQuota',
  ],
  ['more than 100 instances', { InstanceCount: 101 }, 'InvalidParameterValue.Range'],
];

const region = {
  zones: [
    { name: zone, instance_types: types.map((type) => structuredClone(type) as object) as never },
    { name: 'ap-guangzhou-4' },
  ],
  placement_groups: [{ id: 'ps-1y147q03', used: 25, limit: 30 }],
  launch_templates: [
    {
      id: 'lt-b8v1kcyq',
      default_version: 1,
      versions: versions.map(([, data], index) => ({
        version: index + 1,
        data: { ...fine, ...data },
      })),
    },
  ],
};
const scenario = regionScenario({
  ...region,
  images: ['img-8toqc6s3', 'img-other000'],
  snapshots: ['snap-r8hr2upy'],
});

const template = (version?: number) => ({
  'LaunchTemplate.LaunchTemplateId': 'lt-b8v1kcyq',
  ...(version !== undefined && { 'LaunchTemplate.LaunchTemplateVersion': String(version) }),
});
const priced = (UnitPrice: number) => ({
  Price: {
    InstancePrice: { UnitPrice, UnitPriceDiscount: UnitPrice, Discount: 100, ChargeUnit: 'HOUR' },
  },
});
const without = { 'Placement.Zone': zone, ImageId: 'img-8toqc6s3' };

testRows('InquiryPriceRunInstances', scenario, [
  ...versions.map(
    ([what, , expected], index) =>
      [
        `${typeof expected === 'string' ? 'a refusal' : 'the price'} of a version with ${what}`,
        template(index + 1),
        typeof expected === 'string' ? expected : priced(expected),
      ] as const,
  ),
  ['the price of the default version', template(), priced(0.5)],
  [
    'the price of what overrides the version',
    { ...template(6), ImageId: 'img-other000', InstanceCount: '2' },
    priced(1),
  ],
  [
    'a refusal of a zone that overrides the version',
    { ...template(), 'Placement.Zone': 'ap-tokyo-1' },
    'InvalidParameterValue.ZoneNotSupported',
  ],
  [
    'a price for prepaid instances',
    { ...template(), InstanceChargeType: 'PREPAID', InstanceCount: '2' },
    { Price: { InstancePrice: { OriginalPrice: 1, DiscountPrice: 1, Discount: 100 } } },
  ],
  ['the price of a launch without a template', without, priced(0.1)],
  ['a refusal without a zone', { ImageId: 'img-8toqc6s3' }, 'MissingParameter'],
  [
    'a refusal of another template',
    { 'LaunchTemplate.LaunchTemplateId': 'lt-00000000' },
    'InvalidParameterValue.LaunchTemplateNotFound',
  ],
  [
    'a refusal of a malformed template',
    { 'LaunchTemplate.LaunchTemplateId': 'x' },
    'InvalidParameterValue.LaunchTemplateIdMalformed',
  ],
  [
    'a refusal of another version',
    template(99),
    'InvalidParameterValue.LaunchTemplateIdVerNotExisted',
  ],
  ['a refusal of a version below 1', template(0), 'InvalidParameterValue.LaunchTemplateVersion'],
  ['a refusal of no instances', { ...without, InstanceCount: '0' }, 'InvalidParameterValue.Range'],
  ['a refusal of a zone that is no map', { Placement: zone }, 'InvalidParameter'],
  ['a refusal of what is not served', { ...without, HostName: 'x' }, 'UnknownParameter'],
]);

testRows(
  'InquiryPriceRunInstances',
  regionScenario(region),
  [['a price for each image', template(6), priced(0.5)]],
  'when the scenario lists no images',
);

test('a fault for a template is applied to its prices alone', async () => {
  const emulator = await createEmulator({ scenario });
  const code = 'InvalidParameterValue.InvalidImageState';
  emulator.faults.add({ effect: 'error', code, template_id: 'lt-b8v1kcyq' });
  const ask = (query: Readonly<Record<string, string>>) =>
    answerOf(emulator, { Action: 'InquiryPriceRunInstances', ...query });

  expect(ask(template())).toMatchObject({ Error: { Code: code } });
  expect(ask(without)).toMatchObject(priced(0.1));
});
