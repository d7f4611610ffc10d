/** Reloads without end while the daemon polls: no request, poll or scrape may notice. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { startDaemon, type ConfigInput } from '../support/daemon-process.ts';
import { mostInASecond } from '../support/most-in-a-second.ts';

const requestsPerSecond = 10;
const regionNames = 'abcdefghijkl'.split('').map((letter) => `ap-region-${letter}`);

async function start(regions: readonly string[], schedule: string) {
  const emulator = await startEmulator({
    scenario: {
      requests_per_second: 20,
      accounts: [
        {
          name: 'production',
          regions: [...regionNames, 'ap-extra'].map((name) => ({
            name,
            zones: [{ name: `${name}-1`, postpaid: { limit: 10 } }],
          })),
        },
      ],
    },
  });
  onTestFinished(emulator.close);
  const config = (names: readonly string[], extra: ConfigInput['poll'] = {}): ConfigInput => ({
    poll: { schedule, ...extra },
    api: { endpoint: emulator.url, requests_per_second: requestsPerSecond },
    accounts: [{ name: 'a', credentials: { type: 'none' }, regions: [...names] }],
  });
  const daemon = await startDaemon({ config: config(regions) });
  const reload = async () => (await daemon.get('/-/reload', { method: 'POST' })).status;
  return { emulator, daemon, config, reload };
}

test('a hundred reloads: the rate is kept, no poll is lost, and the daemon stays ready', async () => {
  const { emulator, daemon, config, reload } = await start(regionNames, '*/2 * * * * *');
  await daemon.ready();
  const notReady: number[] = [];

  for (let i = 0; i < 100; i += 1) {
    await daemon.configure(config(i % 2 === 0 ? [...regionNames, 'ap-extra'] : regionNames));
    expect(await reload()).toBe(200);
    const { status } = await daemon.get('/-/ready');
    if (status !== 200) notReady.push(status);
  }
  const samples = await daemon.metricsWhen((each) => each.sum('cvm_monitor_cycles_total') >= 3);

  const received = emulator.requests.list();
  expect(notReady).toEqual([]);
  const arrivals = received.map(({ at }) => Date.parse(at));
  expect(mostInASecond(arrivals, 100)).toBeLessThanOrEqual(requestsPerSecond);
  expect(received.filter(({ code }) => code !== null)).toEqual([]);
  const counts = regionNames.map((name) => received.filter(({ region }) => region === name).length);
  // A cycle leaves out what the one before still polls. The last cycle may be under way.
  const late = samples.sum('cvm_monitor_cycles_skipped_total', { reason: 'overlap' });
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(late + 1);
  expect(samples.sum('cvm_monitor_poll_failures_total')).toBe(0);
});

test('a reload whose file says the same asks for nothing', async () => {
  const { emulator, daemon, config, reload } = await start(regionNames, '0 0 1 1 *');
  await daemon.ready();
  const before = emulator.requests.total;

  await daemon.configure(`# a comment\n${JSON.stringify(config(regionNames))}`);
  const status = await reload();
  await daemon.logged('configuration is unchanged');

  expect(status).toBe(200);
  expect(emulator.requests.total).toBe(before);
});

test('a reload polls at once what is new, and nothing else', async () => {
  const { emulator, daemon, config, reload } = await start(['ap-region-a'], '0 0 1 1 *');
  await daemon.ready();

  await daemon.configure(config(['ap-region-a', 'ap-extra'], { stale_after: '1h' }));
  await reload();
  await expect.poll(() => emulator.requests.total).toBe(2);

  expect(emulator.requests.list().map(({ region }) => region)).toEqual(['ap-region-a', 'ap-extra']);
});

test('a cycle goes on through reloads faster than it ends', async () => {
  const { emulator, daemon, config, reload } = await start(regionNames, '0 0 1 1 *');
  emulator.faults.add({ effect: 'latency', latency: '2000ms', id: 'slow' });

  for (let i = 0; i < 8; i += 1) {
    await daemon.configure(config(regionNames, { stale_after: `${i + 10}m` }));
    expect(await reload()).toBe(200);
    await delay(300);
  }
  await daemon.ready();

  expect(emulator.requests.total).toBe(regionNames.length);
});

test('an edit that is made while a reload runs is the one that counts', async () => {
  const { daemon, config, reload } = await start(['ap-region-a'], '0 0 1 1 *');
  await daemon.ready();

  const answers = [];
  for (const name of regionNames) {
    await daemon.configure(config([name]));
    answers.push(reload());
  }
  const statuses = await Promise.all(answers);

  expect(new Set(statuses)).toEqual(new Set([200]));
  const samples = await daemon.metrics();
  expect(samples.matching('cvm_monitor_target_up').map(({ labels }) => labels.region)).toEqual([
    regionNames.at(-1),
  ]);
});

test('reloading over HTTP is refused unless it is enabled, and SIGHUP reloads', async () => {
  const { daemon } = await start(regionNames, '0 0 1 1 *');
  const closed = await startDaemon({
    config: { accounts: [{ name: 'a', credentials: { type: 'none' }, regions: ['ap-x'] }] },
    enablesLifecycle: false,
  });

  const refused = await closed.get('/-/reload', { method: 'POST' });
  closed.signal('SIGHUP');
  await closed.logged('configuration is unchanged');

  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain('--web.enable-lifecycle');
  expect((await daemon.get('/-/reload', { method: 'POST' })).status).toBe(200);
});
