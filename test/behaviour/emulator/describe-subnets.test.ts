import { expect, test } from 'vitest';
import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import {
  answerOf,
  filters,
  indexed,
  regionScenario,
  testRows,
  type AnswerRow,
} from '../../support/answer-rows.ts';
import { emulate } from '../../support/emulator.ts';

const idOf = (n: number) => `subnet-${String(n).padStart(8, '0')}`;

const scenario = (behaviour: ScenarioInput['behaviour'] = {}) => {
  const first = {
    id: 'subnet-bthucmmy',
    name: 'web',
    vpc: 'vpc-n0yr460a',
    zone: 'ap-guangzhou-3',
    cidr_block: '10.0.1.0/24',
    is_default: true,
    tags: { team: 'web' },
    total: 253,
    available: 1,
  };
  const others = Array.from({ length: 120 }, (_, n) => ({
    id: idOf(n),
    zone: 'ap-guangzhou-4',
    total: 253,
    available: n,
  }));
  return regionScenario({ subnets: [first, ...others] }, { behaviour });
};

const ids = (...names: readonly string[]) => ({
  SubnetSet: names.map((SubnetId) => ({ SubnetId })),
});
const idQuery = (...names: readonly string[]) => indexed('SubnetIds', names);
const from = (first: number, count: number) =>
  Array.from({ length: count }, (_, n) => idOf(first + n));

testRows('DescribeSubnets', scenario(), [
  [
    'every field of the published sample',
    idQuery('subnet-bthucmmy'),
    {
      TotalCount: 1,
      SubnetSet: [
        {
          NetworkAclId: '',
          RouteTableId: 'rtb-n0yr460a',
          VpcId: 'vpc-n0yr460a',
          EnableBroadcast: false,
          Zone: 'ap-guangzhou-3',
          Ipv6CidrBlock: '',
          AvailableIpAddressCount: 1,
          IsRemoteVpcSnat: false,
          SubnetName: 'web',
          TotalIpAddressCount: 253,
          IsCdcSubnet: 0,
          CdcId: '',
          TagSet: [{ Key: 'team', Value: 'web' }],
          CreatedTime: '2020-05-25 20:09:07',
          SubnetId: 'subnet-bthucmmy',
          CidrBlock: '10.0.1.0/24',
          IsDefault: true,
        },
      ],
    },
  ],
  ['20 of all without a Limit', {}, { TotalCount: 121, ...ids('subnet-bthucmmy', ...from(0, 19)) }],
  ['a page by Offset and Limit', { Offset: '119', Limit: '100' }, ids(idOf(118), idOf(119))],
  [
    'a page of what SubnetIds names',
    { ...idQuery(...from(0, 30)), Offset: '20' },
    { TotalCount: 30, ...ids(...from(20, 10)) },
  ],
  [
    'the first page by MaxResults',
    { MaxResults: '1' },
    { NextToken: '1', ...ids('subnet-bthucmmy') },
  ],
  [
    'the last page by NextToken',
    { MaxResults: '100', NextToken: '120' },
    { NextToken: '', ...ids(idOf(119)) },
  ],
  ...[
    ['vpc-id', 'vpc-n0yr460a'],
    ['subnet-id', 'subnet-bthucmmy'],
    ['zone', 'ap-guangzhou-3'],
    ['subnet-name', 'web'],
    ['cidr-block', '10.0.1.0/24'],
    ['is-default', 'true'],
    ['tag-key', 'team'],
    ['tag:team', 'web'],
  ].map(([name = '', value = '']): AnswerRow => [
    `what the filter ${name} selects`,
    filters([name, value]),
    { TotalCount: 1, ...ids('subnet-bthucmmy') },
  ]),
  [
    'what every filter selects',
    filters(['zone', 'ap-guangzhou-3'], ['is-default', 'false']),
    { TotalCount: 0, ...ids() },
  ],
  [
    'a refusal of SubnetIds beside Filters',
    { ...idQuery(idOf(1)), ...filters(['zone', 'x']) },
    'InvalidParameter.Coexist',
  ],
  [
    'a refusal of both kinds of paging',
    { MaxResults: '1', Limit: '1' },
    'InvalidParameter.Coexist',
  ],
  ['a refusal of another filter', filters(['colour', 'red']), 'InvalidParameter.FilterInvalidKey'],
  [
    'a refusal of a filter without values',
    { 'Filters.0.Name': 'zone' },
    'InvalidParameter.FilterNotDict',
  ],
  [
    'a refusal of values that are no list',
    { 'Filters.0.Name': 'zone', 'Filters.0.Values': 'x' },
    'InvalidParameter.FilterValuesNotList',
  ],
  ['a refusal of 101 IDs', idQuery(...from(0, 101)), 'InvalidParameterValue.LimitExceeded'],
  ['a refusal of an empty ID', idQuery(''), 'InvalidParameterValue.Empty'],
  ['a refusal of a malformed ID', idQuery('lt-b8v1kcyq'), 'InvalidParameterValue.Malformed'],
  ['a refusal of an unknown ID', idQuery(idOf(999)), 'ResourceNotFound'],
  ['a refusal of a Limit of 101', { Limit: '101' }, 'InvalidParameterValue.Range'],
  ['a refusal of a Limit of 0', { Limit: '0' }, 'InvalidParameterValue.Range'],
  ['a refusal of an Offset that is no number', { Offset: 'x' }, 'InvalidParameterValue.Malformed'],
  ['a refusal of another version', { Version: '2018-08-13' }, 'NoSuchVersion'],
]);

testRows(
  'DescribeSubnets',
  scenario({ unknown_subnets: 'left-out' }),
  [['the others', idQuery(idOf(999), idOf(1)), { TotalCount: 1, ...ids(idOf(1)) }]],
  'when unknown IDs are left out',
);

test('Offset and Limit are texts in JSON too', async () => {
  const emulator = await emulate({ scenario: scenario() });
  const post = async (body: object) => {
    const answer = await fetch(emulator.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-tc-action': 'DescribeSubnets',
        'x-tc-version': '2017-03-12',
        'x-tc-region': 'ap-guangzhou',
      },
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { Response: object }).Response;
  };

  expect(await post({ Limit: '1' })).toMatchObject(ids('subnet-bthucmmy'));
  expect(await post({ Limit: 1 })).toMatchObject({ Error: { Code: 'InvalidParameter' } });
});

test('an action changes the addresses, and not beyond all of them', async () => {
  const emulator = await emulate({ scenario: scenario() });
  const place = { do: 'set-subnet', region: 'ap-guangzhou', subnet_id: idOf(7) } as const;

  emulator.do({ ...place, available: 0 });

  const row = { AvailableIpAddressCount: 0, TotalIpAddressCount: 253 };
  expect(answerOf(emulator, { Action: 'DescribeSubnets', ...idQuery(idOf(7)) })).toMatchObject({
    SubnetSet: [row],
  });
  expect(() => {
    emulator.do({ ...place, available: 254 });
  }).toThrow('available: cannot be more than total, 253');
});
