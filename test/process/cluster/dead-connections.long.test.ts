/** A daemon of a cluster whose connections to Redis are dead, without a sign of it. */
import { expect, test } from 'vitest';
import { startCluster } from '../../support/cluster/cluster-world.ts';
import { hasRedis } from '../../support/redis.ts';

test.runIf(hasRedis)('a daemon polls again after its connections have died silently', async () => {
  const { emulator, members } = await startCluster({ daemons: 1, accounts: 2 });

  members[0]!.network.abandon();

  // Requests of the present cycles come to an end first.
  await expect.poll(() => members[0]!.scrape(), { timeout: 30_000 }).not.toBeNull();
  const { total } = emulator.requests;
  await expect
    .poll(() => emulator.requests.total, { timeout: 60_000, interval: 200 })
    .toBeGreaterThan(total + 20);
});
