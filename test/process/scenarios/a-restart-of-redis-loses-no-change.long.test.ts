/** Redis is killed and comes back: daemons go on serving, and each change is counted once. */
import { expect, test } from 'vitest';
import { hasRedis, startCluster } from '../../support/cluster.ts';

test.runIf(hasRedis)(
  'While Redis is away the daemons answer, and after its restart each change counts once',
  async () => {
    const { redis, members, raiseAll, counted } = await startCluster({ accounts: 4, daemons: 2 });
    raiseAll();
    for (const { daemon } of members) await counted(daemon);

    await redis.kill();
    raiseAll();
    for (const { daemon } of members) {
      expect((await daemon.get('/-/healthy')).status).toBe(200);
      expect((await daemon.get('/metrics')).status).toBe(200);
    }
    await redis.restart();

    for (const { daemon } of members) await counted(daemon);
    for (const { daemon } of members)
      expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  },
);
