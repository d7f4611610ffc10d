import { expect, it } from 'vitest';
import {
  listedTemplates,
  type LaunchTemplateListRecord,
  type LaunchTemplateListTarget,
} from '../../../src/collectors/launch-template-list/launch-template-list.ts';
import { templateListTarget } from '../../support/fake-monitor.ts';
import { PolledTarget } from '../../support/polled-target.ts';

const everything = templateListTarget('production', 'ap-guangzhou');
const snapshotOf = ({ record }: PolledTarget) =>
  (record as LaunchTemplateListRecord).observed.snapshot!;

const row = (id: string, LaunchTemplateName: unknown = `web-${id}`, more: object = {}) => ({
  LaunchTemplateId: `lt-${id}`,
  LaunchTemplateName,
  DefaultVersionNumber: 1,
  LatestVersionNumber: 2,
  LaunchTemplateVersionCount: 2,
  ...more,
});
const page = (rows: readonly unknown[], TotalCount: number | null = rows.length) => ({
  TotalCount,
  LaunchTemplateSet: rows,
});
const list = (...ids: readonly string[]) => page(ids.map((id) => row(id)));
const selecting = (names: string[] | null, tags: Record<string, string> = {}) =>
  new PolledTarget({ ...everything, selection: { names, tags } } as LaunchTemplateListTarget);

it('a list of templates is read with its names and numbers', async () => {
  const polled = new PolledTarget(everything);

  await polled.poll(page([row('a'), row('b', '"模板"', { LatestVersionNumber: null })]));

  expect(snapshotOf(polled)).toEqual({
    templates: [
      { id: 'lt-a', name: 'web-a', defaultVersion: 1, latestVersion: 2, versions: 2 },
      { id: 'lt-b', name: '"模板"', defaultVersion: 1, latestVersion: null, versions: 2 },
    ],
    others: [],
    unidentified: 0,
    missing: [],
  });
});

it('a list of templates is asked for by tags', async () => {
  const polled = selecting(null, { env: 'prod', team: 'x' });
  await polled.poll(list('a'));

  expect(polled.requests).toEqual([
    {
      'Filters.0.Name': 'tag:env',
      'Filters.0.Values.0': 'prod',
      'Filters.1.Name': 'tag:team',
      'Filters.1.Values.0': 'x',
      Offset: '0',
      Limit: '100',
    },
  ]);
});

it.each<[string, string, boolean]>([
  ['batch', 'batch', true],
  ['batch', 'batch-1', false],
  ['web-*', 'web-1', true],
  ['*-prod', 'web-prod', true],
  ['w*b*d', 'web-prod', true],
  ['*a*a', 'a', false],
  ['w*x*b', 'web', false],
  ['*', '', true],
  ['.*', 'web', false],
])(
  'a list of templates with the pattern %s and the name %j: %j',
  async (pattern, name, isSelected) => {
    const polled = selecting([pattern]);
    await polled.poll(page([row('a', name)]));

    expect(snapshotOf(polled).templates).toHaveLength(isSelected ? 1 : 0);
  },
);

it.each<[string, PolledTarget, object, readonly unknown[]]>([
  [
    'names that none has',
    selecting(['batch']),
    list('a'),
    ['no launch template matches names batch'],
  ],
  [
    'a tag that none has',
    selecting(null, { env: 'x' }),
    page([]),
    ['no launch template matches tags env=x'],
  ],
  ['every name', new PolledTarget(everything), page([]), []],
  [
    'a row without a name',
    selecting(['web-*']),
    page([row('a'), row('b', null)]),
    ['lt-b: no name'],
  ],
  [
    'a row that is empty',
    new PolledTarget(everything),
    page([row('a'), {}]),
    [expect.stringContaining('[1]')],
  ],
  ['the same row again', new PolledTarget(everything), page([row('a'), row('a')], 1), []],
  [
    'a template with two contents',
    new PolledTarget(everything),
    page([row('a'), row('a', 'other')], 1),
    [expect.stringContaining('lt-a')],
  ],
  [
    'a total above its rows',
    new PolledTarget(everything),
    page([row('a')], 3),
    [expect.stringContaining('3')],
  ],
  [
    'more templates than are watched',
    new PolledTarget({ ...everything, maxWatched: 1 } as LaunchTemplateListTarget),
    list('a', 'b'),
    [expect.stringContaining('max_launch_templates')],
  ],
])('a list of templates with %s names what it lacks', async (_what, polled, fields, missing) => {
  expect(await polled.poll(fields)).toMatchObject({ code: null, missing });
});

it.each<[string, PolledTarget, readonly object[], readonly (readonly string[])[]]>([
  [
    'created and deleted',
    new PolledTarget(everything),
    [list('a', 'b'), list('a', 'c'), list('a', 'c')],
    [[], ['template-created none → lt-c'], ['template-deleted lt-b → none']],
  ],
  [
    'an empty list',
    new PolledTarget(everything),
    [list('a', 'b'), page([]), list('a', 'b'), page([]), page([])],
    [[], [], [], [], ['template-deleted lt-a → none', 'template-deleted lt-b → none']],
  ],
  [
    'other templates only',
    new PolledTarget(everything),
    [list('a', 'b'), list('c', 'd', 'e'), list('c', 'd', 'e')],
    [[], ['list-replaced 2 → 3'], []],
  ],
  [
    'an unreadable row',
    new PolledTarget(everything),
    [list('a', 'b'), page([row('a'), row('c'), {}]), list('a', 'c'), list('a', 'c')],
    [[], [], ['template-created none → lt-c'], ['template-deleted lt-b → none']],
  ],
  [
    'another name that is selected',
    selecting(['web-*']),
    [list('a', 'b'), page([row('a', 'web-new'), row('b')])],
    [[], ['template-renamed web-a → web-new']],
  ],
  [
    'another name that is not selected',
    selecting(['web-*']),
    [list('a', 'b'), page([row('a', 'old'), row('b')]), page([row('a', 'old'), row('b')])],
    [[], ['template-left-selection web-a → old'], []],
  ],
  [
    'every name that is not selected any more',
    selecting(['web-*']),
    [list('a'), page([row('a', 'old'), row('c')])],
    [[], ['template-left-selection web-a → old', 'template-created none → lt-c']],
  ],
  [
    'a name that is unreadable for a poll',
    new PolledTarget(everything),
    [list('a'), page([row('a', null)]), page([row('a', 'new')])],
    [[], [], ['template-renamed web-a → new']],
  ],
  [
    'no name that was never readable before',
    new PolledTarget(everything),
    [page([row('a', null)]), list('a')],
    [[], []],
  ],
])(
  'the changes of a list of templates are those of %s',
  async (_what, polled, answers, changes) => {
    const found = await polled.changesOf(answers);

    expect(found.map((each) => each.toSorted())).toEqual(changes.map((each) => each.toSorted()));
  },
);

it('the changes of a list of templates are counted', async () => {
  const polled = selecting(['web-*']);
  await polled.poll(list('a', 'b', 'c'));
  await polled.poll(page([row('a', 'old'), row('c'), row('d')]));
  await polled.poll(page([row('c'), row('d')]));

  expect(polled.metrics()).toEqual({
    cvm_launch_templates: 2,
    cvm_launch_templates_created_total: 1,
    cvm_launch_templates_deleted_total: 1,
    cvm_launch_templates_left_selection_total: 1,
    cvm_launch_templates_replaced_total: 0,
  });
  const { names, watched } = (polled.record as LaunchTemplateListRecord).durable;
  expect([watched, Object.keys(names)]).toEqual(Array(2).fill(['lt-c', 'lt-d']));
  expect(polled.record.durable.recentChanges).toMatchObject([
    { kind: 'template-created' },
    { kind: 'template-left-selection', resource: { template_id: 'lt-a' } },
    { kind: 'template-deleted' },
  ]);
});

it('the changes of a list of templates begin again with another selection', async () => {
  const polled = selecting(['web-*']);
  await polled.poll(list('a'));
  polled.select(everything);

  expect((await polled.poll(list('a', 'b'))).changes).toEqual([]);
});

const foundBy = ({ record }: PolledTarget) => listedTemplates([record]).map(({ id }) => id);

it.each<[string, readonly object[], readonly string[]]>([
  ['those of a list', [list('a', 'b')], ['lt-a', 'lt-b']],
  ['also what one list lacks', [list('a', 'b'), list('a')], ['lt-a', 'lt-b']],
  ['not what two lists lack', [list('a', 'b'), list('a'), list('a')], ['lt-a']],
  ['also those of a list that is not whole', [page([row('a'), {}])], ['lt-a']],
  [
    'also what a list that is not whole lacks',
    [list('a', 'b'), page([row('c'), {}])],
    ['lt-a', 'lt-b', 'lt-c'],
  ],
  ['those of a list that has none of them', [list('a'), list('b')], ['lt-b']],
  [
    'at most the maximum, the watched ones first',
    [list('c', 'd', 'e'), list('a', 'c', 'd', 'e')],
    ['lt-c', 'lt-d', 'lt-e'],
  ],
])('the templates that are watched are %s', async (_what, answers, ids) => {
  const polled = new PolledTarget({ ...everything, maxWatched: 3 } as LaunchTemplateListTarget);

  for (const fields of answers) await polled.poll(fields);

  expect(foundBy(polled)).toEqual(ids);
});

it('the templates that are watched have what the list says about them', async () => {
  const polled = new PolledTarget(everything);
  await polled.poll(list('a', 'b'));
  await polled.poll(list('a'));

  expect(listedTemplates([polled.record])).toMatchObject([
    { id: 'lt-a', listed: { name: 'web-a', versions: 2 } },
    { id: 'lt-b', listed: null },
  ]);
  // Neither of two contents is believed.
  await polled.poll(page([row('a'), row('a', 'web-a', { DefaultVersionNumber: 2 })], 1));
  expect(listedTemplates([polled.record])).toMatchObject([{ listed: null }, { listed: null }]);
});
