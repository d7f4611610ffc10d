/** Who runs the cycle of an account after the daemon that ran it has gone. The scenarios have what is counted then. */
import { expect, test } from 'vitest';
import { createCluster, hasRedis } from '../support/cluster.ts';

const takenOver = 'cvm_monitor_cluster_cycles_taken_over_total';

test.runIf(hasRedis).each([
  ['was killed', '2s', 'SIGKILL'],
  ['stops', '5m', 'SIGTERM'],
] as const)(
  'Daemons take over the cycles of one that %s while it ran them',
  async (_what, lock, signal) => {
    const { emulator, members, names } = await createCluster({
      daemons: 2,
      accounts: 6,
      lock,
      schedule: '0 0 1 1 *',
      more: { api: { timeout: '1m' } },
    });
    const [one, other] = members.map(({ daemon }) => daemon);
    emulator.faults.add({ effect: 'latency', latency: '20s' });
    one!.spawn();
    await expect.poll(() => emulator.requests.total, { timeout: 60_000 }).toBeGreaterThan(0);
    other!.spawn();
    await other!.loaded();
    emulator.faults.clear();

    await one!.stop(signal);

    await other!.ready();
    const samples = await other!.metricsWhen((each) =>
      names.every((account) => each.value('cvm_monitor_target_up', { account }) === 1),
    );
    if (signal === 'SIGKILL') expect(samples.sum(takenOver)).toBeGreaterThan(0);
  },
);
