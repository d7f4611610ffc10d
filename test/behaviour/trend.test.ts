/** The trend of a quota: its steps, its gaps, a reload and a restart. */
import { expect, test } from 'vitest';
import { accountOf, startMonitor } from '../support/monitor.ts';

const minutes = (count: number) => count * 60_000;
/** What the quotas in JSON say of the only one. */
const trend = (fields: object) => ({ quotas: [{ trend: fields }] });

/** @param earlier another daemon, whose records this one goes on with */
async function startTrend(earlier: Partial<Parameters<typeof startMonitor>[0]> = {}) {
  const schedule = { text: '*/5 * * * *' };
  const zone = { name: 'ap-x-1', postpaid: { used: 5, limit: 100 } };
  const monitor = await startMonitor({
    scenario: { accounts: [{ name: 'a', regions: [{ name: 'ap-x', zones: [zone] }] }] },
    config: ({ endpoint }) => ({
      poll: { schedule: schedule.text, stale_after: '15m' },
      api: { endpoint, max_attempts: 1 },
      accounts: [accountOf('a', ['ap-x'])],
    }),
    ...earlier,
  });
  const place = { region: 'ap-x', zone: 'ap-x-1', quota_type: 'postpaid' } as const;
  const use = (used: number) => {
    monitor.emulator.do({ do: 'set-used', ...place, used });
  };
  return { monitor, schedule, shown: () => monitor.json('/api/v1/quotas'), use };
}

test('a reload keeps the trend, also if the length of its steps changes', async () => {
  const { monitor, schedule, shown, use } = await startTrend();
  await monitor.cycle(minutes(15));
  use(7);

  schedule.text = '*/10 * * * *';
  await monitor.daemon.reload();
  await monitor.cycle(minutes(15));
  expect(await shown()).toMatchObject(trend({ used: [5, 5, 7] }));

  schedule.text = '*/3 * * * * *';
  await monitor.daemon.reload();
  await monitor.cycle(3_000);
  await monitor.cycle(3_000);
  expect(await shown()).toMatchObject(trend({ seconds: [0, 3, 6], used: [7, 7, 7] }));
});

test('a trend survives a restart', async () => {
  const { monitor, shown, use } = await startTrend();
  use(7);
  await monitor.cycle(minutes(15));
  const before = (await shown()) as { quotas: [{ trend: { start: string } }] };
  expect(before).toMatchObject(trend({ used: [5, 7] }));
  await monitor.daemon.stop();

  const restarted = await startTrend({
    directory: monitor.directory,
    startMs: monitor.clock.now() + minutes(15),
  });

  const { start } = before.quotas[0].trend;
  expect(await restarted.shown()).toMatchObject(trend({ start, used: [5, 7, 5] }));
});
