/** `launch_templates: all`: created and deleted templates are counted once, also over a restart and a bad list. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { configOf, startDaemon, type Daemon, watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const regions = [{ name: 'ap-guangzhou', launch_templates: 'all' }];
const list = { operation: 'DescribeLaunchTemplates' };
const created = 'cvm_launch_templates_created_total';
const deleted = 'cvm_launch_templates_deleted_total';

async function watched() {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  region.createTemplate('lt-first001', { versions: [1], default: 1 });
  region.createTemplate('lt-second02', { versions: [1, 2], default: 2 });
  const config = configOf(service, { account: { quota_types: [] }, regions });
  return { service, region, config, daemon: await startDaemon({ config }) };
}

const templatesOf = async (daemon: Daemon) =>
  (await daemon.metrics())
    .matching('cvm_launch_template_default_version')
    .map(({ labels }) => labels.template_id!)
    .toSorted();

test('The first list is no change; then each template that comes or goes is one', async () => {
  const { region, daemon } = await watched();
  const first = await daemon.cycle(list);
  expect(first.value(created)).toBe(0);
  expect(first.value('cvm_launch_templates')).toBe(2);

  region.createTemplate('lt-third003', { versions: [1, 2, 3], default: 3 });
  await daemon.metricsWhen((each) => each.value(created) === 1);
  region.deleteTemplate('lt-first001');
  await daemon.metricsWhen((each) => each.value(deleted) === 1);

  expect(await daemon.feed()).toEqual([
    'ap-guangzhou: template-created lt-third003',
    'ap-guangzhou: template-deleted lt-first001',
  ]);
  expect(await templatesOf(daemon)).toEqual(['lt-second02', 'lt-third003']);
  await observe(daemon, 'one came and one went', { json: [] });
});

test('Templates that come and go while no daemon runs are counted once at the next start', async () => {
  const { region, daemon } = await watched();
  await daemon.cycle(list);
  await daemon.stop();
  region.createTemplate('lt-third003', { versions: [1], default: 1 });
  region.deleteTemplate('lt-first001');
  region.setDefault('lt-second02', 1);

  daemon.spawn();
  const changes = 'cvm_launch_template_default_version_changes_total';
  const samples = await daemon.metricsWhen(
    (each) =>
      each.value(deleted) === 1 &&
      each.value(created) === 1 &&
      each.value(changes, { template_id: 'lt-second02' }) === 1 &&
      each.value(changes, { template_id: 'lt-third003' }) !== undefined,
  );
  expect(samples.value(changes, { template_id: 'lt-third003' })).toBe(0);
  expect(await templatesOf(daemon)).toEqual(['lt-second02', 'lt-third003']);
});

test('A list that fails, is empty without saying so or cannot be read deletes no template', async () => {
  const service = await startService();
  const doubtful = {
    'ap-fails': { error: 'InternalError' },
    'ap-empty': { edit: (fields: Fields) => (fields.LaunchTemplateSet = []) },
    'ap-unreadable': { edit: (fields: Fields) => (fields.LaunchTemplateSet = 7) },
  };
  const names = Object.keys(doubtful);
  for (const name of names) {
    for (const id of ['lt-first001', 'lt-second02']) {
      service.region(name).createTemplate(id, { versions: [1], default: 1 });
    }
  }
  const daemon = await watchService(service, {
    account: { quota_types: [] },
    regions: names.map((name) => ({ name, launch_templates: 'all' })),
  });
  const faults = Object.entries(doubtful).map(([region, answer]) =>
    service.fault({ action: 'DescribeLaunchTemplates', region, ...answer }),
  );
  for (let cycle = 0; cycle < 3; cycle += 1) await daemon.cycle(list);
  const samples = await daemon.metrics();
  expect(samples.sum(deleted)).toBe(0);
  expect(samples.matching('cvm_launch_template_default_version')).toHaveLength(6);

  for (const fault of faults) fault.end();
  for (const name of names) service.region(name).deleteTemplate('lt-first001');
  await daemon.metricsWhen((each) => each.sum(deleted) === 3);
  expect(await templatesOf(daemon)).toEqual(['lt-second02', 'lt-second02', 'lt-second02']);
});
type Fields = Record<string, unknown>;

test('A default version that moves in the list is read at once, and a quiet cycle reads only the list', async () => {
  const { service, region, daemon } = await watched();
  const versions = () => service.asked({ action: 'DescribeLaunchTemplateVersions' }).length;
  await daemon.cycle(list);
  const before = versions();
  await daemon.cycle(list);
  expect(versions()).toBe(before);

  region.setDefault('lt-second02', 1);
  await daemon.metricsWhen(
    (each) =>
      each.value('cvm_launch_template_default_version', { template_id: 'lt-second02' }) === 1,
  );
  expect(versions()).toBe(before + 1);
});
