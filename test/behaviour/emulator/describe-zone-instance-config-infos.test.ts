import { parse } from 'yaml';
import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import { filters, testRows } from '../../support/answer-rows.ts';

const accounts = `
- name: a
  regions:
    - name: ap-guangzhou
      zones:
        - name: ap-guangzhou-3
          instance_types:
            - { type: S5.LARGE8, cpu: 2, memory: 8, charge_types: [postpaid, spotpaid] }
            - { type: SA5.LARGE4, cpu: 2, memory: 4, charge_types: [postpaid] }
        - name: ap-guangzhou-4
          instance_types:
            - { type: S5.2XLARGE16, cpu: 8, memory: 16, charge_types: [prepaid], stock: WithoutStock }
            - type: GN7.LARGE20
              cpu: 4
              memory: 20
              charge_types: [spotpaid]
              stock: UnderStock
              omit: [Price]
              fields: { Gpu: '1' }
        - name: ap-guangzhou-5
`;
const scenario = (settings: Partial<ScenarioInput> = {}): ScenarioInput => ({
  ...settings,
  accounts: parse(accounts) as ScenarioInput['accounts'],
});

/** The types of the answer, in its order. */
const types = (...names: readonly string[]) => ({
  InstanceTypeQuotaSet: names.map((InstanceType) => ({ InstanceType })),
});
const many = (count: number) => Array.from({ length: count }, (_, i) => `X${i}.LARGE8`);

testRows('DescribeZoneInstanceConfigInfos', scenario(), [
  [
    'a row for each zone, type and charge type',
    {},
    types('S5.LARGE8', 'S5.LARGE8', 'SA5.LARGE4', 'S5.2XLARGE16', 'GN7.LARGE20'),
  ],
  [
    'what sells, with every field of the published sample',
    filters(['instance-type', 'S5.LARGE8'], ['instance-charge-type', 'POSTPAID_BY_HOUR']),
    {
      InstanceTypeQuotaSet: [
        {
          Zone: 'ap-guangzhou-3',
          InstanceType: 'S5.LARGE8',
          InstanceChargeType: 'POSTPAID_BY_HOUR',
          Status: 'SELL',
          StatusCategory: 'EnoughStock',
          SoldOutReason: '',
          Cpu: 2,
          Memory: 8,
          InstanceFamily: 'S5',
          TypeName: 'Standard S5',
          NetworkCard: 0,
          Externals: {},
          LocalDiskTypeList: [],
          StorageBlockAmount: 0,
          CpuType: 'Intel Xeon E5-2680 v4',
          InstancePps: 20,
          InstanceBandwidth: 1.5,
          Gpu: 0,
          GpuCount: 0,
          Fpga: 0,
          Remark: '',
          Frequency: '2.4GHz',
          Price: { ChargeUnit: 'HOUR' },
        },
      ],
    },
  ],
  [
    'what is sold out, with the reason',
    filters(['instance-charge-type', 'PREPAID']),
    {
      InstanceTypeQuotaSet: [
        {
          Status: 'SOLD_OUT',
          StatusCategory: 'WithoutStock',
          SoldOutReason: 'ResourcesSoldOut.SpecifiedInstanceType',
        },
      ],
    },
  ],
  [
    'the values of a filter as one or the other',
    filters(['zone', 'ap-guangzhou-3', 'ap-guangzhou-4'], ['instance-family', 'SA5', 'GN7']),
    types('SA5.LARGE4', 'GN7.LARGE20'),
  ],
  ['nothing for a type that is not sold', filters(['instance-type', 'S5.4XLARGE32']), types()],
  [
    'nothing for charge types of dedicated hosts',
    filters(['instance-charge-type', 'CDHPAID', 'CDCPAID']),
    types(),
  ],
  [
    'rows that are sorted by the first key, then by the second',
    filters(['sort-keys', 'cpu:desc', 'mem:asc']),
    types('S5.2XLARGE16', 'GN7.LARGE20', 'SA5.LARGE4', 'S5.LARGE8', 'S5.LARGE8'),
  ],
  ['100 values of a filter', filters(['instance-type', ...many(100)]), types()],
  [
    'a refusal of 101 values',
    filters(['instance-type', ...many(101)]),
    'InvalidFilterValue.LimitExceeded',
  ],
  [
    'a refusal of 11 filters',
    filters(...Array.from({ length: 11 }, () => ['instance-family', 'S5'] as const)),
    'InvalidFilterValue.LimitExceeded',
  ],
  ['a refusal of another filter', filters(['colour', 'red']), 'InvalidFilter'],
  ['a refusal of another charge type', filters(['instance-charge-type', 'FREE']), 'InvalidFilter'],
  ['a refusal of another sort key', filters(['sort-keys', 'colour:asc']), 'InvalidFilter'],
  [
    'a refusal of one malformed type among others',
    filters(['instance-type', 'S5.LARGE8', 'nonsense']),
    'InvalidInstanceType.Malformed',
  ],
  [
    'a refusal of a zone of another region',
    filters(['zone', 'ap-tokyo-1']),
    'InvalidZone.MismatchRegion',
  ],
  [
    'a refusal of a zone that sells nothing',
    filters(['zone', 'ap-guangzhou-5']),
    'InvalidParameterValue.ZoneNotSupported',
  ],
  ['a refusal of paging', { Limit: '1' }, 'UnknownParameter'],
  ['a refusal without a region of the account', { Region: 'ap-tokyo' }, 'UnsupportedRegion'],
  [
    'fields that a scenario has changed',
    filters(['instance-type', 'GN7.LARGE20']),
    { InstanceTypeQuotaSet: [{ Gpu: '1', StatusCategory: 'UnderStock' }] },
  ],
]);

testRows(
  'DescribeZoneInstanceConfigInfos',
  scenario({ site: 'international' }),
  [
    [
      'null for what is documented as null',
      filters(['instance-charge-type', 'PREPAID']),
      {
        InstanceTypeQuotaSet: [
          { Status: 'SOLD_OUT', StatusCategory: null, SoldOutReason: null, Externals: null },
        ],
      },
    ],
    ['a refusal of every other filter', filters(['instance-type', 'S5.LARGE8']), 'InvalidFilter'],
  ],
  'on the international site',
);

testRows(
  'DescribeZoneInstanceConfigInfos',
  scenario({ behaviour: { sold_out_types: 'hidden' } }),
  [['no row of it', filters(['zone', 'ap-guangzhou-4']), types('GN7.LARGE20')]],
  'when what is sold out is hidden',
);
