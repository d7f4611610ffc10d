/** The trend of a quota: its steps, its gaps, a reload and a restart. */
import { expect, test } from 'vitest';
import type { ScenarioInput } from '../../src/emulator/emulator.ts';
import { type ConfigInput, type Monitor, startMonitor } from '../support/monitor.ts';

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
  return { monitor, schedule, use };
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
  const { monitor, use } = await startTrend();
  use(7);
  await monitor.cycle(minutes(15));
  const before = await shown(monitor);
  await monitor.daemon.stop();

  const restarted = await startMonitor({
    scenario,
    config: ({ endpoint }) => config(endpoint),
    directory: monitor.directory,
    startMs: monitor.clock.now() + minutes(15),
  });

  const after = await shown(restarted);
  expect(after.start).toBe(before.start);
  expect(after.used).toEqual([...before.used, 5]);
});
