/** What a daemon with discovery says about templates that an answer lacks, renames, or replaces. */
import { expect, test } from 'vitest';
import { edited } from '../support/gateway.ts';
import {
  idOf,
  oneRegion,
  region,
  startStage,
  template,
  templates,
} from '../process/discovery/stage.ts';

const list = 'DescribeLaunchTemplates';

interface Row {
  readonly LaunchTemplateId: string;
  readonly LaunchTemplateName: string;
}

/** A daemon that finds templates by itself, and a service that lists others than it has. */
async function startDiscovery(names?: string[]) {
  const stage = await startStage({
    regions: oneRegion([template(1, { name: 'web-1' }), template(2, { name: 'web-2' })]),
    account: {
      quota_types: [],
      regions: [{ name: region, launch_templates: names === undefined ? 'all' : { names } }],
    },
  });
  const listing = (edit: ((rows: readonly Row[]) => readonly Row[]) | null) => {
    stage.gateway.replacementFor = ({ query }) =>
      edit === null || query.Action !== list
        ? null
        : edited((fields) => {
            const rows = edit(fields.LaunchTemplateSet as Row[]);
            Object.assign(fields, { LaunchTemplateSet: rows, TotalCount: rows.length });
          });
  };
  const value = async (name: string) => (await stage.samples()).value(name, { region });
  const incomplete = async () =>
    (await stage.samples()).value('cvm_monitor_target_incomplete', { operation: list });
  return { ...stage, incomplete, listing, value };
}

test('one list answer of no templates changes nothing, and two count each as deleted', async () => {
  const { changes, cycle, listing, value } = await startDiscovery();

  listing(() => []);
  await cycle();
  listing(null);
  await cycle();
  expect(await changes()).toEqual([]);

  listing(() => []);
  await cycle();
  await cycle();
  expect(await value('cvm_launch_templates_deleted_total')).toBe(2);
  expect(await changes()).toEqual([`template-deleted ${idOf(1)}`, `template-deleted ${idOf(2)}`]);
});

test('a list that has none of the known templates is one change with both numbers', async () => {
  const { changes, cycle, listing, monitor, value } = await startDiscovery();

  listing((rows) =>
    [...rows, ...rows.slice(1)].map((row, i) => ({ ...row, LaunchTemplateId: `lt-other${i}` })),
  );
  await cycle();

  const { changes: found } = (await monitor.json('/api/v1/changes')) as { changes: object[] };
  expect(found).toMatchObject([{ kind: 'list-replaced', from: 2, to: 3 }]);
  expect(await changes()).toHaveLength(1);
  expect(await value('cvm_launch_templates_replaced_total')).toBe(1);
  expect(await value('cvm_launch_templates_deleted_total')).toBe(0);
});

test('a template that is renamed out of the selection has left it, and is not deleted', async () => {
  const { changes, cycle, listing, monitor, samples, value } = await startDiscovery(['web-*']);
  const rename = (name: string) => (rows: readonly Row[]) =>
    rows.map((row, i) => (i === 0 ? { ...row, LaunchTemplateName: name } : row));

  listing(rename('web-new'));
  await cycle();
  listing(rename('old'));
  await cycle();
  await cycle();

  expect(await changes()).toEqual(['template-renamed web-1', 'template-left-selection web-new']);
  const { changes: found } = (await monitor.json('/api/v1/changes')) as { changes: object[] };
  expect(found).toMatchObject([{ template_id: idOf(1), from: 'web-new', to: 'old' }, {}]);
  expect(await value('cvm_launch_templates_left_selection_total')).toBe(1);
  expect(await value('cvm_launch_templates_deleted_total')).toBe(0);
  expect((await samples()).matching('cvm_launch_template_default_version')).toHaveLength(1);
});

test('a selection that matches no template is incomplete, and is named', async () => {
  const { incomplete, monitor } = await startDiscovery(['batch']);

  expect(await incomplete()).toBe(1);
  expect(JSON.stringify(await monitor.json('/api/v1/targets'))).toContain(
    'no launch template matches names batch',
  );
});

test('a service that ignores Offset ends a list, which infers nothing', async () => {
  const { changes, cycle, gateway, incomplete } = await startStage({
    regions: oneRegion(templates(3)),
    account: { quota_types: [], regions: [{ name: region, launch_templates: 'all' }] },
  }).then((stage) => ({
    ...stage,
    incomplete: async () =>
      (await stage.samples()).value('cvm_monitor_target_incomplete', { operation: list }),
  }));

  gateway.replacementFor = ({ query }) =>
    query.Action !== list
      ? null
      : edited((fields) => {
          const rows = Array.from({ length: 3 }, (_, i) => ({ LaunchTemplateId: `lt-page${i}` }));
          Object.assign(fields, { LaunchTemplateSet: rows, TotalCount: 250 });
        });
  await cycle();

  expect(await incomplete()).toBe(1);
  expect(await changes()).toEqual([]);
});
