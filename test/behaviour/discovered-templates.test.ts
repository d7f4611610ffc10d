/** What a daemon with discovery says about templates that an answer lacks, renames, or replaces. */
import { expect, test } from 'vitest';
import { accountOf, startWatch } from '../support/monitor.ts';
import { startService } from '../support/service.ts';

/** A daemon that finds `web-1` and `web-2` by itself. */
async function startDiscovery(launch_templates: 'all' | { names: string[] } = 'all') {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  const create = (...numbers: number[]) => {
    for (const n of numbers) {
      region.createTemplate(`lt-00000${n}aa`, { versions: [1, 2], default: 2, name: `web-${n}` });
    }
  };
  create(1, 2);
  const account = accountOf('production', [{ name: 'ap-guangzhou', launch_templates }]);
  const watch = await startWatch({ service, accounts: [{ ...account, quota_types: [] }] });
  const total = async (what: string) =>
    (await watch.samples()).value(`cvm_launch_templates_${what}_total`);
  const page = async () => (await watch.monitor.get('/')).text();
  return { ...watch, region, create, total, page };
}

test('a list that has none of the known templates is one change with both numbers', async () => {
  const { create, cycle, feed, page, region, total } = await startDiscovery();

  for (const id of [...region.templates.keys()]) region.deleteTemplate(id);
  create(7, 8, 9);
  await cycle();

  expect(await feed()).toEqual(['list-replaced 2 → 3']);
  expect(await page()).toContain('none of 2 known launch templates is listed, but 3 others are');
  expect([await total('replaced'), await total('deleted')]).toEqual([1, 0]);
});

test('a template that is renamed out of the selection has left it, and is not deleted', async () => {
  const { cycle, feed, monitor, region, samples, total } = await startDiscovery({
    names: ['web-*'],
  });
  const template = region.template('lt-000001aa');

  template.name = 'web-new';
  await cycle();
  template.name = 'old';
  await cycle();
  await cycle();

  expect(await feed()).toEqual([
    'template-renamed web-1 → web-new',
    'template-left-selection web-new → old',
  ]);
  expect((await monitor.json('/api/v1/changes')).changes[0].template_id).toBe('lt-000001aa');
  expect([await total('left_selection'), await total('deleted')]).toEqual([1, 0]);
  expect((await samples()).matching('cvm_launch_template_default_version')).toHaveLength(1);
});

test('a selection that matches no template is incomplete, and is named', async () => {
  const { monitor, page, samples } = await startDiscovery({ names: ['batch'] });

  const operation = 'DescribeLaunchTemplates';
  expect((await samples()).value('cvm_monitor_target_incomplete', { operation })).toBe(1);
  const targets = JSON.stringify(await monitor.json('/api/v1/targets'));
  for (const text of [await page(), targets]) {
    expect(text).toContain('no launch template matches names batch');
  }
});
