import { expect, test } from 'vitest';
import { accountKeys } from '../../../src/cluster/keys.ts';
import { createCluster, hasRedis, region, scrape } from '../../support/cluster.ts';
import { asked } from '../../support/emulator.ts';

/** No other number of the record contains it. */
const limit = 77_777;
const patience = { timeout: 60_000, interval: 50 };

test.runIf(hasRedis)(
  'A daemon that is suspended while its write is on the way writes nothing after its lock has passed on',
  async () => {
    const { counted, members, names, raiseAll, redis, emulator } = await createCluster({
      daemons: 2,
      accounts: 1,
      schedule: '*/2 * * * * *',
      lock: '2s',
      more: { api: { timeout: '30s' } },
    });
    const [suspended, other] = members;
    const connection = redis.connect();
    const { revisions } = accountKeys('test', names[0]!);
    const stored = () => connection.zrange(revisions, 0, -1, 'WITHSCORES');
    suspended!.daemon.spawn();
    await suspended!.daemon.ready();
    const held = suspended!.network.holdFrom(`${limit}`);
    raiseAll(limit);
    await held;
    suspended!.daemon.signal('SIGSTOP');
    // The other daemon has the cycle, and writes nothing yet.
    emulator.faults.add({ effect: 'latency', latency: '9s', region, count: 1 });
    const before = emulator.requests.total;
    other!.daemon.spawn();
    await expect.poll(() => emulator.requests.total, patience).toBe(before + 1);
    const rows = await stored();

    const { arrived } = await redis.sees(`${limit}`);
    suspended!.network.heal();
    await arrived;

    expect(await stored()).toEqual(rows);
    suspended!.daemon.signal('SIGCONT');
    await expect.poll(() => scrape(suspended!.daemon), patience).not.toBeNull();
    expect(await stored()).toEqual(rows);
    const pending = asked(emulator).at(-1)!;
    expect(Date.now()).toBeLessThan(Date.parse(pending.at) + pending.latency_ms);
    // The other daemon finds the same change, and counts it once.
    for (const { daemon } of members) await counted(daemon);
    expect(await stored()).not.toEqual(rows);
  },
);
