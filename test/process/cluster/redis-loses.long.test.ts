/** A Redis that comes back empty, or whose clock was wrong. */
import { expect, test } from 'vitest';
import type { RunningEmulator } from '../../../src/emulator/emulator.ts';
import { accountKeys, clusterKeys } from '../../../src/cluster/keys.ts';
import { createCluster, hasRedis, startCluster } from '../../support/cluster.ts';
import { asked } from '../../support/emulator.ts';

/** Resolves when the emulator has got more than so many further requests. */
async function askedMore({ requests }: RunningEmulator, count: number) {
  const before = requests.total;
  const total = () => requests.total;
  await expect.poll(total, { timeout: 60_000 }).toBeGreaterThan(before + count);
}

test.runIf(hasRedis)(
  'a Redis that comes back empty gets every change back, and no account has two pollers',
  async () => {
    const { counted, highestRate, members, names, raiseAll, redis, emulator } = await startCluster({
      daemons: 3,
      accounts: 4,
      // The locks of the newest daemon outlast the Redis that gave them.
      lock: '9s',
      schedule: '*/2 * * * * *',
      regions: ['ap-guangzhou', 'ap-shanghai'],
      more: { api: { requests_per_second: 3, max_attempts: 1 } },
    });
    const [newest, ...others] = members;
    raiseAll();
    for (const { daemon } of members) await counted(daemon);
    // These two do not see the next changes, and connect first.
    for (const { network } of others) network.cut();
    raiseAll(100);
    await counted(newest!.daemon);
    raiseAll(50);
    await counted(newest!.daemon);
    newest!.network.cut();
    await redis.kill();
    await redis.restartWith(null);

    const loggedBefore = newest!.daemon.log.length;
    for (const { network } of others) network.heal();
    const connection = redis.connect();
    const poller = (name: string) => connection.hget(accountKeys('test', name).cycle, 'member');
    const haveAllBegun = async () => (await Promise.all(names.map(poller))).every(Boolean);
    await expect.poll(haveAllBegun).toBe(true);
    newest!.network.heal();

    await askedMore(emulator, 30);
    for (const { daemon } of members) await counted(daemon);
    expect(highestRate()).toBeLessThanOrEqual(3);
    const messages = newest!.daemon.log.slice(loggedBefore).map(({ msg }) => msg);
    expect(messages).not.toContain('cycle taken over: its daemon is silent');
  },
);

test.runIf(hasRedis)(
  'a Redis that comes back without its last writes gets them back, and no change counts twice',
  async () => {
    const { counted, members, raiseAll, redis } = await startCluster({ daemons: 2, accounts: 2 });
    const earlier = await redis.copy();
    raiseAll();
    for (const { daemon } of members) await counted(daemon);

    await redis.kill();
    await redis.restartWith(earlier);

    for (const { daemon } of members) await counted(daemon);
    raiseAll();
    for (const { daemon } of members) await counted(daemon);
  },
);

test.runIf(hasRedis)(
  'a Redis that is emptied while daemons are connected stops no polling',
  async () => {
    const { counted, members, raiseAll, redis } = await startCluster({ daemons: 2, accounts: 6 });
    const connection = redis.connect();
    for (let round = 0; round < 3; round += 1) {
      await connection.flushall();
      raiseAll();
      for (const { daemon } of members) await counted(daemon);
    }
  },
);

test.runIf(hasRedis)('a Redis whose clock was an hour ahead stops no polling', async () => {
  const { names, redis, emulator } = await startCluster({ daemons: 1, accounts: 2 });
  const hence = Date.now() + 3_600_000;
  const connection = redis.connect();
  for (const name of names) {
    const { cycle } = accountKeys('test', name);
    await connection.hset(cycle, { finishedDueMs: hence, endedAtMs: hence, lockedUntilMs: hence });
  }
  const gone = { name: 'gone', configuration: '', version: '', startedAtMs: 0, sentAtMs: hence };
  await connection.hset(clusterKeys('test').members, 'gone', JSON.stringify(gone));

  await askedMore(emulator, 6);
});

test.runIf(hasRedis)(
  'a Redis that got back an account without its job and its finished cycle stops no polling',
  async () => {
    const { members, names, redis, emulator } = await createCluster({ daemons: 1, accounts: 1 });
    await redis.connect().hset(accountKeys('test', names[0]!).cycle, { epoch: 1, isRunning: 1 });
    members[0]!.daemon.spawn();
    await askedMore(emulator, 6);
  },
);

test.runIf(hasRedis)(
  'a daemon whose cycle another one has begun meanwhile asks nothing',
  async () => {
    const { members, names, redis, emulator } = await createCluster({
      daemons: 1,
      accounts: 1,
      lock: '6s',
    });
    const { daemon } = members[0]!;
    const { cycle } = accountKeys('test', names[0]!);
    const connection = redis.connect();
    // Both the cycle that it loses and the next one wait for the length of a lock.
    await connection.hset(cycle, { epoch: 1, lockedUntilMs: Date.now() + 12_000 });
    daemon.spawn();
    // Its first request comes right after.
    const soon = { interval: 2 };
    await expect.poll(() => connection.hget(cycle, 'member'), soon).not.toBeNull();
    await connection.hincrby(cycle, 'epoch', 1);
    await connection.hset(cycle, 'member', 'another');

    await daemon.logged('cycle taken over: its daemon is silent');
    expect(asked(emulator)).toEqual([]);
    await askedMore(emulator, 6);
  },
);
