/** DescribeLaunchTemplateVersions, row by row. The refusals are in error-codes.test.ts. */
import { expect } from 'vitest';
import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import { indexed, regionScenario, testRows, type AnswerRow } from '../../support/answer-rows.ts';
import { sampleScenario, versionsSample } from '../../support/sample-scenario.ts';

const action = 'DescribeLaunchTemplateVersions';
const LaunchTemplateId = 'lt-b8v1kcyq';

/** With gaps, more than 20, and numbers beyond 30. */
const numbers = [1, 2, 5, ...Array.from({ length: 25 }, (_, n) => n + 10), 47];
const newest = numbers.toReversed();
const upTo30 = newest.filter((number) => number <= 30);

type Versions = NonNullable<
  NonNullable<ScenarioInput['accounts'][number]['regions']>[number]['launch_templates']
>[number]['versions'];

const scenario = (
  behaviour: ScenarioInput['behaviour'] = {},
  versions: Versions = numbers,
  defaultVersion = 47,
) => {
  const template = { id: LaunchTemplateId, default_version: defaultVersion, versions };
  return regionScenario({ launch_templates: [template] }, { behaviour });
};

const list = (...given: number[]) => indexed('LaunchTemplateVersions', given);
const found = (TotalCount: number, of: readonly number[]) => ({
  TotalCount,
  LaunchTemplateVersionSet: of.map((LaunchTemplateVersion) => ({ LaunchTemplateVersion })),
});
const row = (fields: object) => ({ LaunchTemplateVersionSet: [fields] });
type Query = Readonly<Record<string, string>>;
const rowsOf = (cases: readonly (readonly [Query, object | string])[]): AnswerRow[] =>
  cases.map(([query, expected]) => [
    JSON.stringify(query),
    { LaunchTemplateId, ...query },
    expected as string | Record<string, unknown>,
  ]);

testRows(
  action,
  scenario(),
  rowsOf([
    // MaxVersion's default of 30 hides the versions beyond it; Limit's default is 20.
    [{}, found(upTo30.length, upTo30.slice(0, 20))],
    [{ Offset: '20' }, found(upTo30.length, upTo30.slice(20))],
    [{ Offset: '2', Limit: '3' }, found(upTo30.length, upTo30.slice(2, 5))],
    [{ Offset: '999' }, found(upTo30.length, [])],
    [{ Limit: '100' }, found(upTo30.length, upTo30)],
    [{ Limit: '100', MaxVersion: '1000' }, found(numbers.length, newest)],
    [{ MinVersion: '2', MaxVersion: '10' }, found(3, [10, 5, 2])],
    [{ MinVersion: '31', MaxVersion: '47', Limit: '2' }, found(5, [47, 34])],
    [{ MinVersion: '31' }, found(0, [])],
    [{ MinVersion: '5', MaxVersion: '2' }, found(0, [])],
    [{ DefaultVersion: 'true' }, found(1, [47])],
    [{ DefaultVersion: 'True', MaxVersion: '30' }, found(0, [])],
    [{ DefaultVersion: 'false', Limit: '1' }, found(upTo30.length, [30])],
    [list(2, 47), found(2, [47, 2])],
    [list(2, 2), found(1, [2])],
    [{ ...list(2, 5), Limit: '1', Offset: '1' }, found(2, [2])],
    [list(...upTo30), found(upTo30.length, upTo30)],
  ]),
);

testRows(
  action,
  scenario({ version_order: 'oldest-first' }),
  rowsOf([[{ MaxVersion: '1000', Limit: '100' }, found(numbers.length, numbers)]]),
  'oldest first',
);

testRows(
  action,
  scenario({ version_range: 'exclusive' }),
  rowsOf([[{ MinVersion: '2', MaxVersion: '10' }, found(1, [5])]]),
  'without the bounds of a range',
);

testRows(
  action,
  scenario({ total_count: 'all' }),
  rowsOf([[{ DefaultVersion: 'true' }, found(numbers.length, [47])]]),
  'when TotalCount counts all',
);

testRows(
  action,
  scenario({ version_list: 'exclusive' }),
  rowsOf([
    [list(1), found(1, [1])],
    ...['MinVersion', 'MaxVersion', 'Offset', 'Limit', 'DefaultVersion'].map(
      (name) =>
        [
          { ...list(1), [name]: name === 'DefaultVersion' ? 'false' : '1' },
          'InvalidParameterCombination',
        ] as const,
    ),
  ]),
  'when a list goes with nothing else',
);

const { Response: sample } = JSON.parse(versionsSample) as { Response: Record<string, unknown> };
const { RequestId: _id, ...published } = sample;

testRows(
  action,
  sampleScenario,
  [['the official sample', { LaunchTemplateId }, published]],
  'of the scenario of the samples',
);

testRows(
  action,
  scenario(
    {},
    [
      { version: 1, data: { DataDisks: null } },
      { version: 2, omit: ['LaunchTemplateVersionData.DataDisks'] },
      { version: 3, omit: 'all', fields: { LaunchTemplateVersion: null } },
      { version: 4, description: null, fields: { LaunchTemplateVersionData: {} } },
    ],
    1,
  ),
  rowsOf([
    [
      list(1),
      row({ LaunchTemplateVersionData: { DataDisks: null, InstanceType: 'S5.16XLARGE256' } }),
    ],
    [
      list(2),
      row({
        LaunchTemplateId,
        LaunchTemplateVersionData: expect.not.objectContaining({ DataDisks: expect.anything() }),
      }),
    ],
    [
      list(3),
      row(
        expect.toSatisfy(
          (fields: object) => JSON.stringify(fields) === '{"LaunchTemplateVersion":null}',
        ) as object,
      ),
    ],
    [list(4), row({ LaunchTemplateVersionDescription: null, LaunchTemplateVersionData: {} })],
  ]),
  'with odd rows',
);
