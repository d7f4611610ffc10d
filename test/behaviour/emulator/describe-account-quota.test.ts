/** DescribeAccountQuota, row by row. The fields of every set are compared in the official sample. */
import { expect } from 'vitest';
import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import { filters, regionScenario, testRows, type AnswerRow } from '../../support/answer-rows.ts';
import { quotaSample, sampleScenario } from '../../support/sample-scenario.ts';

const action = 'DescribeAccountQuota';
const zone3 = 'ap-guangzhou-3';
const zone4 = 'ap-guangzhou-4';
const images = 'ImageQuotaSet';

const scenario = (behaviour: ScenarioInput['behaviour'] = {}) =>
  regionScenario(
    {
      zones: [
        { name: zone3, postpaid: { limit: 1 }, prepaid: { limit: 2 }, spotpaid: { limit: 3 } },
        { name: zone4, postpaid: { limit: 4 } },
      ],
      image: { limit: 5 },
      disaster_recover_group: { limit: 6 },
    },
    { behaviour },
  );

const of = (...zones: string[]) => zones.map((Zone) => ({ Zone }));
const regional = {
  ImageQuotaSet: [{ TotalQuota: 5 }],
  DisasterRecoverGroupQuotaSet: [{ GroupQuota: 6 }],
};
const nothing = {
  PostPaidQuotaSet: [],
  PrePaidQuotaSet: [],
  SpotPaidQuotaSet: [],
  ImageQuotaSet: [],
  DisasterRecoverGroupQuotaSet: [],
};
const both = { ...nothing, ...regional };
const of3 = { PrePaidQuotaSet: of(zone3), SpotPaidQuotaSet: of(zone3) };
const everything = { ...both, ...of3, PostPaidQuotaSet: of(zone3, zone4) };
const answer = (sets: object) => ({ AccountQuotaOverview: { AccountQuota: sets } });

testRows(action, scenario(), [
  ['every set without a filter', {}, answer(everything)],
  [
    'the zone that the filter zone names',
    filters(['zone', zone4]),
    answer({ ...both, PostPaidQuotaSet: of(zone4) }),
  ],
  ['each zone of one filter', filters(['zone', zone3, zone4]), answer(everything)],
  ['what two filters of zones share', filters(['zone', zone3], ['zone', zone4]), answer(both)],
  ...Object.keys(nothing)
    .filter((name) => name !== images)
    .map((name): AnswerRow => [
      `only ${name} when quota-type names it`,
      filters(['quota-type', name]),
      answer({ ...nothing, [name]: everything[name as keyof typeof everything] }),
    ]),
  [
    'each type of one filter',
    filters(['quota-type', 'PrePaidQuotaSet', 'SpotPaidQuotaSet']),
    answer({ ...nothing, ...of3 }),
  ],
  [
    'what both filters select',
    filters(['quota-type', 'PostPaidQuotaSet'], ['zone', zone4]),
    answer({ ...nothing, PostPaidQuotaSet: of(zone4) }),
  ],
  [
    'filters with any indices',
    { 'Filters.3.Name': 'quota-type', 'Filters.3.Values.7': 'SpotPaidQuotaSet' },
    answer({ ...nothing, SpotPaidQuotaSet: of(zone3) }),
  ],
  [
    'a refusal of ImageQuotaSet, which is no documented value of quota-type',
    filters(['quota-type', images]),
    'InvalidParameterValue.Range',
  ],
]);

testRows(
  action,
  scenario({ image_quota_type: 'accepted' }),
  [
    [
      'only ImageQuotaSet when quota-type names it',
      filters(['quota-type', images]),
      answer({ ...nothing, ImageQuotaSet: regional.ImageQuotaSet }),
    ],
  ],
  'where quota-type may name it',
);

const { Response: sample } = JSON.parse(quotaSample) as { Response: Record<string, unknown> };
const { RequestId: _id, ...published } = sample;

testRows(
  action,
  sampleScenario,
  [['the official sample', {}, published]],
  'of the scenario of the samples',
);

for (const [sets, expected] of [
  [
    'null',
    {
      PostPaidQuotaSet: of(zone3, zone4),
      PrePaidQuotaSet: null,
      SpotPaidQuotaSet: null,
      ImageQuotaSet: null,
      DisasterRecoverGroupQuotaSet: null,
    },
  ],
  [
    'absent',
    expect.toSatisfy((found: object) => Object.keys(found).join() === 'PostPaidQuotaSet') as object,
  ],
] as const) {
  testRows(
    action,
    scenario({ unselected_quota_sets: sets }),
    [['the selected one', filters(['quota-type', 'PostPaidQuotaSet']), answer(expected)]],
    `when sets that are not selected are ${sets}`,
  );
}

testRows(
  action,
  scenario({ zone_filter_keeps_regional_sets: false }),
  [
    [
      'those of the zone',
      filters(['zone', zone4]),
      answer({ ...nothing, PostPaidQuotaSet: of(zone4) }),
    ],
  ],
  'when a filter of zones leaves out the sets of the region',
);
