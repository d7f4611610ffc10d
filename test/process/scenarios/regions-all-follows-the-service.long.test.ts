/** `regions: all` watches what the service lists. No answer that is doubtful removes a region. */
import { expect, test } from 'vitest';
import type { Samples } from '../../support/exposition.ts';
import { configOf, run, startDaemon, watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const available = (...names: readonly string[]) =>
  names.map((Region) => ({ Region, RegionState: 'AVAILABLE' }));

const watchedRegions = (samples: Samples) =>
  [...new Set(samples.matching('cvm_quota_used').map(({ labels }) => labels.region!))].toSorted();

test('Available regions are watched, others and excluded ones are not', async () => {
  const service = await startService('ap-guangzhou', 'ap-shanghai', 'ap-seoul', 'ap-tokyo');
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
  expect(stdout).toMatch(/^FINE {2}10 quotas/m);
  expect(code).toBe(0);
});

test('A region that does not offer the operation is left out, and nothing fails', async () => {
  const service = await startService('ap-guangzhou', 'ap-new');
  service.fault({ region: 'ap-new', error: 'UnsupportedRegion' });
  const config = configOf(service, { regions: 'all' });
  const daemon = await startDaemon({ config });

  await daemon.logged('region left out: it does not offer an operation');
  await daemon.cycle({ region: 'ap-guangzhou', operation: 'DescribeAccountQuota' });
  const samples = await daemon.metricsWhen(
    (each) => each.matching('cvm_monitor_target_up', { region: 'ap-new' }).length === 0,
  );
  expect(watchedRegions(samples)).toEqual(['ap-guangzhou']);
  expect((await run('check', { config })).code).toBe(0);
});

test('A list of regions that is doubtful at a restart removes no region', async () => {
  const service = await startService();
  const doubtful = {
    fails: { error: 'InternalError' },
    unreadable: { body: '{"Response":{"RegionSet":7,"RequestId":"r"}}' },
    empty: { edit: (fields: Record<string, unknown>) => (fields.RegionSet = []) },
  };
  const names = Object.keys(doubtful);
  const env: Record<string, string> = {};
  for (const name of names) {
    const account = service.account(name, { secretId: `id-${name}`, secretKey: 'key' });
    account.region('ap-guangzhou');
    account.region('ap-shanghai');
    env[`ID_${name.toUpperCase()}`] = `id-${name}`;
  }
  const accounts = names.map((name) => ({
    name,
    credentials: {
      type: 'environment',
      secret_id_env: `ID_${name.toUpperCase()}`,
      secret_key_env: 'KEY',
    },
    regions: 'all',
  }));
  const daemon = await watchService(service, { accounts }, { env: { ...env, KEY: 'key' } });
  const watched = (samples: Samples) => samples.matching('cvm_quota_used', { quota_type: 'image' });
  await daemon.metricsWhen((each) => watched(each).length === 6);
  await daemon.stop();

  for (const [account, answer] of Object.entries(doubtful)) {
    service.fault({ action: 'DescribeRegions', account, ...answer });
  }
  daemon.spawn();
  await daemon.ready();
  const samples = await daemon.cycle({ operation: 'DescribeAccountQuota' });
  expect(watched(samples)).toHaveLength(6);
});
