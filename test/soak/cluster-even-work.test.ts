/** How evenly the daemons of a large cluster share its accounts. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hasRedis, startCluster, type Cluster } from '../support/cluster.ts';

/** What each daemon has done since its start. */
function workOf({ members }: Cluster) {
  return Promise.all(
    members.map(async ({ daemon }) => {
      const samples = await daemon.metrics();
      return {
        cycles: samples.sum('cvm_monitor_cycles_total'),
        requests: samples.sum('cvm_monitor_api_requests_total'),
      };
    }),
  );
}

test.runIf(hasRedis)(
  'each of 8 daemons does its share of the work of 1,000 accounts, within 25 percent',
  { timeout: 30 * 60_000 },
  async () => {
    const accounts = 1_000;
    const daemons = 8;
    // Two cores can run 1,000 cycles in this time.
    const periodSeconds = 20;
    const cluster = await startCluster({
      daemons,
      accounts,
      schedule: `*/${periodSeconds} * * * * *`,
      lock: '15s',
    });
    // The daemons that started first have run the cycles of those that started later.
    await delay(2 * periodSeconds * 1_000);
    const before = await workOf(cluster);

    const periods = 9;
    await delay(periods * periodSeconds * 1_000);

    const after = await workOf(cluster);
    for (const kind of ['cycles', 'requests'] as const) {
      const done = after.map((work, i) => work[kind] - (before[i]?.[kind] ?? 0));
      const total = done.reduce((sum, count) => sum + count, 0);
      const shares = done.map((count) => (count * daemons) / total);
      console.log(`${kind}: ${done.join(' ')}, of an even share: ${shares.map(percent).join(' ')}`);
      // A cycle at the border of the time may be missing.
      expect(total).toBeGreaterThan(accounts * (periods - 2));
      expect(Math.min(...shares)).toBeGreaterThan(0.75);
      expect(Math.max(...shares)).toBeLessThan(1.25);
    }
  },
);

const percent = (share: number): string => `${Math.round(share * 100)} %`;
