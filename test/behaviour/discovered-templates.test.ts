/** What a daemon with discovery says about templates that an answer lacks, renames, or replaces. */
import { expect, test } from 'vitest';
import { templateWith } from '../support/emulator.ts';
import { accountOf, emulateWatched, startWatch } from '../support/monitor.ts';

/** A daemon that finds `web-1` and `web-2` by itself. */
async function startDiscovery(launch_templates: 'all' | { names: string[] } = 'all') {
  const emulator = await emulateWatched('ap-guangzhou');
  const create = (...numbers: number[]) => {
    emulator.do(
      numbers.map((n) => ({
        do: 'create-template',
        ...{ region: 'ap-guangzhou', template_id: `lt-00000${n}aa` },
        ...templateWith(2, 1, 2),
        name: `web-${n}`,
      })),
    );
  };
  create(1, 2);
  const account = accountOf('production', [{ name: 'ap-guangzhou', launch_templates }]);
  const watch = await startWatch({ emulator, accounts: [{ ...account, quota_types: [] }] });
  const total = async (what: string) =>
    (await watch.samples()).value(`cvm_launch_templates_${what}_total`);
  const page = async () => (await watch.get('/')).text();
  return { ...watch, create, total, page };
}

test('a list that has none of the known templates is one change with both numbers', async () => {
  const { create, cycle, emulator, feed, page, total } = await startDiscovery();

  for (const template_id of ['lt-000001aa', 'lt-000002aa']) {
    emulator.do({ do: 'delete-template', region: 'ap-guangzhou', template_id });
  }
  create(7, 8, 9);
  await cycle();

  expect(await feed()).toEqual(['list-replaced 2 → 3']);
  expect(await page()).toContain('none of 2 known launch templates is listed, but 3 others are');
  expect([await total('replaced'), await total('deleted')]).toEqual([1, 0]);
});

test('a template that is renamed out of the selection has left it, and is not deleted', async () => {
  const { cycle, emulator, feed, json, samples, total } = await startDiscovery({
    names: ['web-*'],
  });
  const template = { region: 'ap-guangzhou', template_id: 'lt-000001aa' };
  const rename = (name: string) => {
    emulator.do([
      { do: 'delete-template', ...template },
      { do: 'create-template', ...template, ...templateWith(2, 1, 2), name },
    ]);
  };

  rename('web-new');
  await cycle();
  rename('old');
  await cycle();
  await cycle();

  expect(await feed()).toEqual([
    'template-renamed web-1 → web-new',
    'template-left-selection web-new → old',
  ]);
  expect((await json('/api/v1/changes')).changes[0].template_id).toBe('lt-000001aa');
  expect([await total('left_selection'), await total('deleted')]).toEqual([1, 0]);
  expect((await samples()).matching('cvm_launch_template_default_version')).toHaveLength(1);
});

test('a selection that matches no template is incomplete, and is named', async () => {
  const { json, page, samples } = await startDiscovery({ names: ['batch'] });

  const operation = 'DescribeLaunchTemplates';
  expect((await samples()).value('cvm_monitor_target_incomplete', { operation })).toBe(1);
  const targets = JSON.stringify(await json('/api/v1/targets'));
  for (const text of [await page(), targets]) {
    expect(text).toContain('no launch template matches names batch');
  }
});
