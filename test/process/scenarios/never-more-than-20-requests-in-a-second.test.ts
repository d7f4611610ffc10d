/** The service allows 20 requests of a key and an operation in any second. More would harm the account's tools. */
import { expect, test } from 'vitest';
import { mostInASecond } from '../../support/most-in-a-second.ts';
import { preload, watchService } from '../../support/program.ts';
import { startService, type ServiceRequest } from '../../support/service.ts';

const poll = { schedule: '0 0 1 1 *' };
const nodeFlags = [preload('departures')];
const highestRate = (requests: readonly ServiceRequest[]) =>
  mostInASecond(requests.map(({ departedMs }) => departedMs));

test.each([20, 7])('At a rate of %i, no second has more requests', async (rate) => {
  const service = await startService();
  // It would count arrivals, which a busy machine moves together.
  service.limitPerSecond = Infinity;
  const regions = Array.from({ length: 4 * rate }, (_, n) => `ap-region-${n}`);
  for (const name of regions) service.region(name);

  const api = { requests_per_second: rate };
  const daemon = await watchService(service, { poll, api, regions }, { nodeFlags });

  expect(service.requests.length).toBeGreaterThanOrEqual(regions.length);
  expect(highestRate(service.requests)).toBeLessThanOrEqual(rate);
  const allowed = 'cvm_monitor_rate_limit_requests_per_second';
  expect((await daemon.metrics()).value(allowed)).toBe(rate);
});

test('Two accounts and two operations have a rate each', async () => {
  const service = await startService();
  const other = service.account('other', { secretId: 'other', secretKey: 'key' });
  const names = Array.from({ length: 10 }, (_, n) => `ap-region-${n}`);
  for (const name of names) {
    service.region(name).createTemplate('lt-first', { versions: [1], default: 1 });
    other.region(name);
  }
  const regions = names.map((name) => ({ name, launch_templates: ['lt-first'] }));
  const daemon = await watchService(
    service,
    {
      poll,
      api: { requests_per_second: 5 },
      accounts: [
        { name: 'production', credentials: { type: 'none' }, regions },
        { name: 'other', credentials: { type: 'environment' }, regions: names },
      ],
    },
    { nodeFlags, env: { TENCENTCLOUD_SECRET_ID: 'other', TENCENTCLOUD_SECRET_KEY: 'key' } },
  );

  expect(highestRate(service.requests)).toBeGreaterThan(5);
  for (const account of ['production', 'other']) {
    for (const action of ['DescribeAccountQuota', 'DescribeLaunchTemplateVersions']) {
      expect(highestRate(service.asked({ account, action }))).toBeLessThanOrEqual(5);
    }
  }
  expect((await daemon.metrics()).matching('cvm_monitor_target_up')).toHaveLength(30);
});
