/** The trend of a quota in a running daemon: its steps, its gaps, its storage, a reload and a restart. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulator, type ScenarioInput } from '../../src/emulator/emulator.ts';
import { type ConfigInput, type Monitor, startMonitor } from '../support/monitor.ts';
import { startDaemon } from '../support/program.ts';

const place = { region: 'ap-x', zone: 'ap-x-1', quota_type: 'postpaid' } as const;
const scenario: ScenarioInput = {
  accounts: [
    {
      name: 'a',
      regions: [{ name: 'ap-x', zones: [{ name: 'ap-x-1', postpaid: { used: 5, limit: 100 } }] }],
    },
  ],
};
const config = (endpoint: string, schedule = '*/5 * * * *'): ConfigInput => ({
  poll: { schedule, stale_after: '15m' },
  api: { endpoint, max_attempts: 1 },
  accounts: [
    { name: 'a', credentials: { type: 'none' }, quota_types: ['postpaid'], regions: ['ap-x'] },
  ],
});

interface Trend {
  readonly start: string;
  readonly step_seconds: number;
  readonly used: readonly (number | null)[];
}

interface Answer {
  readonly quotas: readonly { readonly trend: Trend }[];
}

const minutes = (count: number) => count * 60_000;
const trendOf = (answer: unknown) => (answer as Answer).quotas[0]!.trend;
const shown = async (monitor: Monitor) => trendOf(await monitor.json('/api/v1/quotas'));

async function startTrend() {
  const schedule = { text: '*/5 * * * *' };
  const monitor = await startMonitor({
    scenario,
    config: ({ endpoint }) => config(endpoint, schedule.text),
  });
  const use = (used: number) => {
    monitor.emulator.do({ do: 'set-used', ...place, used });
  };
  const storedFiles = async () => {
    const folder = join(monitor.directory, 'data');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  };
  return { monitor, schedule, storedFiles, use };
}

test('a trend has a point for each step with a success, and none for one without', async () => {
  const { monitor, use } = await startTrend();

  for (const used of [6, 7, 8]) {
    use(used);
    await monitor.cycle(minutes(5));
  }
  monitor.emulator.faults.add({ effect: 'error', code: 'InternalError' });
  await monitor.cycle(minutes(15));
  monitor.emulator.faults.clear();
  use(9);
  await monitor.cycle(minutes(15));

  const { used, step_seconds: stepSeconds } = await shown(monitor);
  expect(stepSeconds).toBe(900);
  // The clock of the test begins within a step.
  expect(used).toEqual([5, 6, null, 9]);
});

test('a reload keeps the trend, except if the length of its steps changes', async () => {
  const { monitor, schedule, use } = await startTrend();
  await monitor.cycle(minutes(15));
  use(7);

  schedule.text = '*/10 * * * *';
  await monitor.daemon.reload();
  await monitor.cycle(minutes(15));
  expect((await shown(monitor)).used).toEqual([5, 5, 7]);

  schedule.text = '*/3 * * * * *';
  await monitor.daemon.reload();
  await monitor.cycle(3_000);
  await monitor.cycle(3_000);
  expect(await shown(monitor)).toMatchObject({ step_seconds: 3, used: [7, 7] });
});

test('a trend survives a restart', async () => {
  const emulator = await startEmulator({ scenario });
  onTestFinished(emulator.close);
  const options = { config: config(emulator.url, '* * * * * *') };
  const daemon = await startDaemon(options);
  const trend = async (each: typeof daemon) => trendOf(await each.json('/api/v1/quotas'));
  await expect.poll(async () => (await trend(daemon)).used.length).toBeGreaterThan(3);
  const before = await trend(daemon);
  await daemon.stop();

  emulator.do({ do: 'set-used', ...place, used: 6 });
  const restarted = await startDaemon({ ...options, directory: daemon.directory });
  await expect.poll(async () => (await trend(restarted)).used.at(-1)).toBe(6);

  const after = await trend(restarted);
  expect(after.start).toBe(before.start);
  expect(after.used.slice(0, before.used.length)).toEqual(before.used);
});
