/** Slow answers and a throttling service: who notices. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunningEmulator } from '../../src/emulator/emulator.ts';
import { accountWith, emulateAccounts, unlimited } from '../support/emulator.ts';
import type { ConfigInput } from '../support/monitor.ts';
import { spawnDaemon, startDaemon } from '../support/program.ts';

const never = '0 0 1 1 *';
const regions = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${name}-${i}`);

test('answers that are slow are no timeouts, however many accounts wait for them', async () => {
  const names = regions('ap-region', 40);
  const emulator = await emulateAccounts([accountWith('production', names)], unlimited);
  emulator.faults.add({ effect: 'latency', latency: '1500ms' });

  const daemon = await startDaemon({
    config: {
      poll: { schedule: never },
      api: { endpoint: emulator.url, requests_per_second: 20, timeout: '4s', max_attempts: 1 },
      accounts: ['a', 'b', 'c', 'd'].map((name) => ({
        name,
        credentials: { type: 'none' as const },
        regions: names,
      })),
    },
  });
  const samples = await daemon.metrics();
  expect(samples.sum('cvm_monitor_poll_failures_total')).toBe(0);
  expect(samples.sum('cvm_monitor_polls_total')).toBe(160);
});

const names = regions('ap-region', 30);
const config = (emulator: RunningEmulator, schedule: string): ConfigInput => ({
  poll: { schedule },
  api: { endpoint: emulator.url, requests_per_second: 10 },
  accounts: [{ name: 'a', credentials: { type: 'none' }, regions: names }],
});
const rate = 'cvm_monitor_rate_limit_requests_per_second';

test.each([1, 2, 5])(
  'a service that throttles for %i s costs no poll, and is asked less often',
  async (seconds) => {
    const emulator = await emulateAccounts([accountWith('production', names)], unlimited);
    emulator.faults.add({ effect: 'error', code: 'RequestLimitExceeded' });

    const daemon = await spawnDaemon({ config: config(emulator, never) });
    await expect.poll(() => emulator.requests.total).toBeGreaterThan(0);
    await delay(seconds * 1_000);
    emulator.faults.clear();
    const slowed = await daemon.metricsWhen((each) => (each.value(rate) ?? 10) < 10);
    await daemon.ready();

    const samples = await daemon.metrics();
    expect(slowed.value(rate)).toBeGreaterThanOrEqual(1);
    expect(samples.sum('cvm_monitor_poll_failures_total')).toBe(0);
    expect(samples.sum('cvm_monitor_polls_total')).toBe(names.length);
    const refused = emulator.requests.list().filter(({ code }) => code !== null);
    expect(refused.length).toBeLessThanOrEqual(25);
  },
);

test('a service that throttles without end fails the polls of the cycle by its deadline', async () => {
  const emulator = await emulateAccounts([accountWith('production', names)], unlimited);
  emulator.faults.add({ effect: 'error', code: 'RequestLimitExceeded', region: names[0]! });

  const daemon = await spawnDaemon({ config: config(emulator, '*/10 * * * * *') });
  const samples = await daemon.metricsWhen(
    (each) => each.sum('cvm_monitor_poll_failures_total') > 0,
  );

  const failed = { region: names[0]!, code: 'RequestLimitExceeded' };
  expect(samples.value('cvm_monitor_poll_failures_total', failed)).toBe(1);
});
