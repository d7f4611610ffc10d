/** A selection of launch templates by name or tag, and the most that are watched. */
import { expect, test } from 'vitest';
import { watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

async function watch(selection: Readonly<Record<string, unknown>>) {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  for (const [n, name] of ['web-a', 'web-b', 'batch', 'old-web'].entries()) {
    region.createTemplate(`lt-number0${n}`, { versions: [1], default: 1, name });
  }
  const regions = [{ name: 'ap-guangzhou', ...selection }];
  const daemon = await watchService(service, { account: { quota_types: [] }, regions });
  const samples = await daemon.cycle({ operation: 'DescribeLaunchTemplates' });
  return { service, daemon, samples };
}

test('Names with a star choose the templates whose names match', async () => {
  const { samples } = await watch({ launch_templates: { names: ['web-*', 'batch'] } });

  const watched = samples.matching('cvm_launch_template_default_version');
  const ids = watched.map(({ labels }) => labels.template_id!).toSorted();
  expect(ids).toEqual(['lt-number00', 'lt-number01', 'lt-number02']);
  expect(samples.value('cvm_launch_templates')).toBe(3);
});

test('Tags are asked for, and the answer is taken as it is', async () => {
  const { service } = await watch({ launch_templates: { tags: { env: 'prod' } } });

  const [request] = service.asked({ action: 'DescribeLaunchTemplates' });
  const text = JSON.stringify(request?.parameters);
  expect(text).toContain('tag:env');
  expect(text).toContain('prod');
});

test('No more than max_launch_templates are watched, and the answer counts as incomplete', async () => {
  const { daemon, samples } = await watch({ launch_templates: 'all', max_launch_templates: 2 });

  expect(samples.matching('cvm_launch_template_default_version')).toHaveLength(2);
  expect(
    samples.value('cvm_monitor_target_incomplete', { operation: 'DescribeLaunchTemplates' }),
  ).toBe(1);
  await daemon.logged('answer is incomplete');
});
