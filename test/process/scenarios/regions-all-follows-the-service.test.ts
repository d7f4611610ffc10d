/** `regions: all` watches what the service lists. No answer that is doubtful removes a region. */
import { expect, test } from 'vitest';
import { configOf, run, startDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const available = (...names: readonly string[]) =>
  names.map((Region) => ({ Region, RegionState: 'AVAILABLE' }));

const watchedRegions = (samples: { matching: (name: string) => readonly Sample[] }) =>
  [...new Set(samples.matching('cvm_quota_used').map(({ labels }) => labels.region!))].toSorted();
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
}

test('Available regions are watched, others and excluded ones are not', async () => {
  const service = await startService();
  for (const name of ['ap-guangzhou', 'ap-shanghai', 'ap-seoul', 'ap-tokyo']) service.region(name);
  service.regions = [
    ...available('ap-guangzhou', 'ap-shanghai', 'ap-seoul'),
    { Region: 'ap-tokyo', RegionState: 'UNAVAILABLE' },
  ];
  const config = configOf(service, { regions: { except: ['ap-seoul'] } });
  const daemon = await startDaemon({ config });

  const samples = await daemon.metricsWhen((each) => watchedRegions(each).length === 2);
  expect(watchedRegions(samples)).toEqual(['ap-guangzhou', 'ap-shanghai']);
  await daemon.cycle({ operation: 'DescribeAccountQuota' });
  expect(service.asked({ action: 'DescribeRegions' })).toHaveLength(1);
  const { code, stdout } = await run('check', { config });
  expect(stdout).toMatch(/^10 quotas/m);
  expect(code).toBe(0);
});

test('A region that does not offer the operation is left out, and nothing fails', async () => {
  const service = await startService();
  service.region('ap-guangzhou');
  service.region('ap-new');
  service.fault({ region: 'ap-new', error: 'UnsupportedRegion' });
  const config = configOf(service, { regions: 'all' });
  const daemon = await startDaemon({ config });

  await daemon.logged('region left out: it does not offer the operation');
  await daemon.cycle({ region: 'ap-guangzhou', operation: 'DescribeAccountQuota' });
  const samples = await daemon.metricsWhen(
    (each) => each.matching('cvm_monitor_target_up', { region: 'ap-new' }).length === 0,
  );
  expect(watchedRegions(samples)).toEqual(['ap-guangzhou']);
  expect((await run('check', { config })).code).toBe(0);
});

test.each([
  ['fails', { error: 'InternalError' }],
  ['cannot be read', { body: '{"Response":{"RegionSet":7,"RequestId":"r"}}' }],
  [
    'names no available region',
    { edit: (fields: Record<string, unknown>) => (fields.RegionSet = []) },
  ],
])('A list of regions that %s at a restart removes no region', async (_what, answer) => {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  service.region('ap-shanghai');
  const daemon = await startDaemon({ config: configOf(service, { regions: 'all' }) });
  await daemon.metricsWhen((each) => watchedRegions(each).length === 2);
  await daemon.stop();

  service.fault({ action: 'DescribeRegions', ...answer });
  region.setLimit('image', null, 11);
  daemon.spawn();
  const samples = await daemon.metricsWhen(
    (each) => each.value('cvm_quota_limit', { quota_type: 'image', region: region.name }) === 11,
  );
  expect(watchedRegions(samples)).toEqual(['ap-guangzhou', 'ap-shanghai']);
  expect(samples.sum('cvm_quota_limit_changes_total')).toBe(1);
});
