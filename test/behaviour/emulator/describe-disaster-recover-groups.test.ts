import { expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { answerOf, filters, indexed, regionScenario, testRows } from '../../support/answer-rows.ts';

const id = 'ps-1y147q03';
const many = (count: number) =>
  Array.from({ length: count }, (_, n) => `ps-${String(n).padStart(8, '0')}`);
const scenario = regionScenario({
  placement_groups: [
    { id, name: 'web', type: 'RACK', used: 25, limit: 30, tags: { team: 'web' } },
    ...many(30).map((other) => ({ id: other, limit: 50 })),
  ],
});
const idsName = 'DisasterRecoverGroupIds';
const groups = (...ids: readonly string[]) => ({
  DisasterRecoverGroupSet: ids.map((DisasterRecoverGroupId) => ({ DisasterRecoverGroupId })),
});

testRows('DescribeDisasterRecoverGroups', scenario, [
  [
    'every field of a group',
    indexed(idsName, [id]),
    {
      TotalCount: 1,
      DisasterRecoverGroupSet: [
        {
          DisasterRecoverGroupId: id,
          Name: 'web',
          Type: 'RACK',
          Strategy: 'SPREAD',
          CvmQuotaTotal: 30,
          CurrentNum: 25,
          InstanceIds: [],
          Affinity: 1,
          Tags: [{ Key: 'team', Value: 'web' }],
        },
      ],
    },
  ],
  ['20 without a Limit', {}, { TotalCount: 31, ...groups(id, ...many(19)) }],
  ['a page', { Offset: '30', Limit: '100' }, { TotalCount: 31, ...groups(...many(30).slice(29)) }],
  ['what exists of the IDs', indexed(idsName, [id, 'ps-notthere']), groups(id)],
  ['what has a part of the name', { Name: 'we' }, groups(id)],
  ...(['tag-key', 'tag-value', 'tag:team'] as const).map(
    (name) =>
      [
        `what the filter ${name} selects`,
        filters([name, name === 'tag-key' ? 'team' : 'web']),
        { TotalCount: 1, ...groups(id) },
      ] as const,
  ),
  ['a refusal of 11 IDs', indexed(idsName, many(11)), 'InvalidParameterValue.LimitExceeded'],
  [
    'a refusal of a malformed ID',
    indexed(idsName, ['lt-b8v1kcyq']),
    'InvalidParameterValue.DisasterRecoverGroupIdMalformed',
  ],
  ['a refusal of a Limit of 101', { Limit: '101' }, 'InvalidParameterValue.LimitExceeded'],
  ['a refusal of another filter', filters(['colour', 'red']), 'InvalidFilter'],
  ['a refusal of another parameter', { Type: 'HOST' }, 'UnknownParameter'],
]);

test('an action changes how full a placement group is', async () => {
  const emulator = await createEmulator({ scenario });
  const action = { do: 'set-placement-group', region: 'ap-guangzhou' } as const;

  emulator.do({ ...action, placement_group_id: id, used: 31 });

  const query = { Action: 'DescribeDisasterRecoverGroups', ...indexed(idsName, [id]) };
  expect(answerOf(emulator, query).DisasterRecoverGroupSet).toMatchObject([
    { CurrentNum: 31, CvmQuotaTotal: 30 },
  ]);
  expect(() => {
    emulator.do({ ...action, placement_group_id: 'ps-notthere', used: 1 });
  }).toThrow('placement_group_id: ap-guangzhou has no placement group ps-notthere');
});
