/** Redis is killed and comes back: daemons go on serving, and each change is counted once. */
import { describe, expect, test } from 'vitest';
import { hasRedis, startCluster } from '../../support/cluster.ts';

describe.runIf(hasRedis)('a Redis that is killed', () => {
  test('While Redis is away the daemons answer, and after its restart each change counts once', async () => {
    const { redis, daemons, raiseAll, counted, countedOf } = await startCluster({
      accounts: 4,
      daemons: 2,
    });
    raiseAll();
    for (const daemon of daemons) await counted(daemon);

    await redis.kill();
    raiseAll();
    for (const daemon of daemons) {
      expect((await daemon.get('/-/healthy')).status).toBe(200);
      expect((await daemon.get('/metrics')).status).toBe(200);
    }
    await redis.restart();

    for (const daemon of daemons) {
      const { counted: shown, made } = countedOf(await counted(daemon));
      expect(shown).toEqual(made);
    }
    for (const daemon of daemons) expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });
});
