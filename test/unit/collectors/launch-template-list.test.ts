import { expect, it } from 'vitest';
import {
  templatesToPoll,
  type LaunchTemplateListRecord,
} from '../../../src/collectors/launch-template-list.ts';
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
  new PolledTarget({
    ...everything,
    selection: { names, tags },
  } as LaunchTemplateListRecord['target']);

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

it('the templates that are watched have what the list says about them', async () => {
  const polled = new PolledTarget(everything);
  await polled.poll(list('a', 'b'));
  await polled.poll(list('a'));

  expect(templatesToPoll([polled.record])).toMatchObject([
    { id: 'lt-a', listed: { name: 'web-a', versions: 2 } },
    { id: 'lt-b', listed: null },
  ]);
  // Neither of two contents is believed.
  await polled.poll(page([row('a'), row('a', 'web-a', { DefaultVersionNumber: 2 })], 1));
  expect(templatesToPoll([polled.record])).toMatchObject([{ listed: null }, { listed: null }]);
});
