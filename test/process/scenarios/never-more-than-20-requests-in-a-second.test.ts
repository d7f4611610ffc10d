/** The service allows 20 requests of a key and an operation in any second. More would harm the account's tools. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { watchService } from '../../support/program.ts';
import { startService, type ServiceRequest } from '../../support/service.ts';

/** The most requests that arrived within a time. */
function mostWithin(requests: readonly ServiceRequest[], windowMs: number): number {
  const times = requests.map(({ atMs }) => atMs).toSorted((one, other) => one - other);
  let first = 0;
  return times.reduce((most, time, last) => {
    while (time - times[first]! >= windowMs) first += 1;
    return Math.max(most, last - first + 1);
  }, 0);
}

test.each([20, 7])('At a rate of %i, no second has more requests', async (rate) => {
  const service = await startService();
  const names = Array.from({ length: 4 * rate }, (_, n) => `ap-region-${n}`);
  for (const name of names) service.region(name);
  // This process may be late to see an arrival. By so much, two arrivals may look closer than they are.
  const lateness = monitorEventLoopDelay({ resolution: 1 });
  lateness.enable();
  const daemon = await watchService(service, {
    poll: { schedule: '0 0 1 1 *' },
    api: { requests_per_second: rate },
    regions: names,
  });

  expect(service.requests.length).toBeGreaterThanOrEqual(names.length);
  const windowMs = 1000 - Math.min(500, lateness.max / 1e6);
  expect(mostWithin(service.requests, windowMs)).toBeLessThanOrEqual(rate);
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
      poll: { schedule: '0 0 1 1 *' },
      api: { requests_per_second: 5 },
      accounts: [
        { name: 'production', credentials: { type: 'none' }, regions },
        { name: 'other', credentials: { type: 'environment' }, regions: names },
      ],
    },
    { env: { TENCENTCLOUD_SECRET_ID: 'other', TENCENTCLOUD_SECRET_KEY: 'key' } },
  );

  const firstMs = service.requests[0]!.atMs;
  const early = service.requests.filter(({ atMs }) => atMs - firstMs < 900);
  expect(early.length).toBeGreaterThan(5);
  for (const { action, account } of early) {
    const alike = early.filter((each) => each.action === action && each.account === account);
    expect(alike.length).toBeLessThanOrEqual(5);
  }
  expect((await daemon.metrics()).matching('cvm_monitor_target_up')).toHaveLength(30);
});
