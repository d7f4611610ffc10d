/** `check` for scripts and Nagios: 0 fine, 1 warning, 2 critical, 3 could not tell. 0 means that it saw quotas. */
import { expect, test } from 'vitest';
import { configOf, run, type Config } from '../../support/program.ts';
import { startService, type Service } from '../../support/service.ts';

const zone = 'ap-guangzhou-3';
const ofService = (service: Service, more: Parameters<typeof configOf>[1] = {}): Config =>
  configOf(service, { api: { max_attempts: 1, timeout: '5s' }, ...more });

async function startWatched() {
  const service = await startService();
  return { service, region: service.region('ap-guangzhou') };
}

async function exitCode(config: Config, ...flags: string[]): Promise<number | null> {
  const { code } = await run('check', { config, flags });
  return code;
}

test('check exits 0 when enough of every quota is left', async () => {
  const { service } = await startWatched();

  const { code, stdout, stderr } = await run('check', { config: ofService(service) });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^FINE\b/m);
  expect(stderr).toBe('');
  expect(service.requests).toHaveLength(1);
});

test('check exits 1 below the warning, and 2 below the critical threshold or above the limit', async () => {
  const { service, region } = await startWatched();
  const config = ofService(service);

  region.setUsed('postpaid', zone, 200 - 39);
  expect(await exitCode(config)).toBe(1);
  region.setUsed('postpaid', zone, 200 - 19);
  expect(await exitCode(config)).toBe(2);
  region.setUsed('postpaid', zone, 210);
  const { code, stdout } = await run('check', { config });
  expect(code).toBe(2);
  expect(stdout.trim().split('\n').at(-1)).toMatch(/^CRITICAL\b.*postpaid/);
});

test('check exits 3 when a target cannot be polled, also when another quota is only low', async () => {
  const { service, region } = await startWatched();
  service.region('ap-shanghai');
  const config = ofService(service, { regions: ['ap-guangzhou', 'ap-shanghai'] });
  const fault = service.fault({ region: 'ap-shanghai', error: 'UnauthorizedOperation' });

  expect(await exitCode(config)).toBe(3);
  region.setUsed('postpaid', zone, 200 - 39);
  expect(await exitCode(config)).toBe(3);
  // What is known to be critical goes first.
  region.setUsed('postpaid', zone, 200);
  expect(await exitCode(config)).toBe(2);
  fault.end();
  region.setUsed('postpaid', zone, 40);
  expect(await exitCode(config)).toBe(0);
});

test('check exits 3, not 0, when the answer has no quota, misses a zone or cannot be read', async () => {
  const { service, region } = await startWatched();
  const { sets } = region;
  const config = ofService(service);

  region.sets = {};
  expect(await exitCode(config)).toBe(3);
  region.sets = { PostPaidQuotaSet: [], ImageQuotaSet: null };
  expect(await exitCode(config)).toBe(3);
  region.sets = { ...sets, PostPaidQuotaSet: [{ Zone: zone, UsedQuota: 'many' }] };
  expect(await exitCode(config)).toBe(3);
  region.sets = sets;
  expect(await exitCode(config)).toBe(0);
  const missing = [{ name: 'ap-guangzhou', zones: [zone, 'ap-guangzhou-9'] }];
  expect(await exitCode(ofService(service, { regions: missing }))).toBe(3);
});
