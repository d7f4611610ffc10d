/** `check` for scripts and Nagios: 0 fine, 1 warning, 2 critical, 3 could not tell. 0 means that it saw quotas. */
import { expect, test } from 'vitest';
import { configOf, run, type Config } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const zone = 'ap-guangzhou-3';
const fast = { api: { max_attempts: 1, timeout: '5s' } };

const check = (config: Config, ...flags: string[]) => run('check', { config, flags });

test('check exits 0 when enough of every quota is left', async () => {
  const service = await startService('ap-guangzhou');

  const { code, stdout, stderr } = await check(configOf(service, fast));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^FINE\b/m);
  expect(stderr).toBe('');
  expect(service.requests).toHaveLength(1);
});

test('check exits 1 below the warning, and 2 below the critical threshold or above the limit', async () => {
  const service = await startService('ap-guangzhou');
  const region = service.region('ap-guangzhou');
  const config = configOf(service, fast);

  region.setUsed('postpaid', zone, 200 - 39);
  expect((await check(config)).code).toBe(1);
  region.setUsed('postpaid', zone, 200 - 19);
  expect((await check(config)).code).toBe(2);
  region.setUsed('postpaid', zone, 210);
  const { code, stdout } = await check(config);
  expect(code).toBe(2);
  expect(stdout.trim().split('\n').at(-1)).toMatch(/^CRITICAL\b.*postpaid/);
});

test('check exits 3 when a target cannot be polled, also when another quota is only low', async () => {
  const service = await startService('ap-guangzhou');
  const region = service.region('ap-guangzhou');
  service.region('ap-shanghai');
  const config = configOf(service, { ...fast, regions: ['ap-guangzhou', 'ap-shanghai'] });
  const fault = service.fault({ region: 'ap-shanghai', error: 'UnauthorizedOperation' });

  expect((await check(config)).code).toBe(3);
  region.setUsed('postpaid', zone, 200 - 39);
  expect((await check(config)).code).toBe(3);
  // What is known to be critical goes first.
  region.setUsed('postpaid', zone, 200);
  expect((await check(config)).code).toBe(2);
  fault.end();
  region.setUsed('postpaid', zone, 40);
  expect((await check(config)).code).toBe(0);
});

test('check exits 3, not 0, when the answer has no quota, misses a zone or cannot be read', async () => {
  const service = await startService('ap-guangzhou');
  const region = service.region('ap-guangzhou');
  const { sets } = region;
  const config = configOf(service, fast);

  region.sets = {};
  expect((await check(config)).code).toBe(3);
  region.sets = { PostPaidQuotaSet: [], ImageQuotaSet: null };
  expect((await check(config)).code).toBe(3);
  region.sets = { ...sets, PostPaidQuotaSet: [{ Zone: zone, UsedQuota: 'many' }] };
  expect((await check(config)).code).toBe(3);
  region.sets = sets;
  expect((await check(config)).code).toBe(0);
  const missing = [{ name: 'ap-guangzhou', zones: [zone, 'ap-guangzhou-9'] }];
  expect((await check(configOf(service, { ...fast, regions: missing }))).code).toBe(3);
});
