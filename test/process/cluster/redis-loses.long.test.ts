/** A Redis that comes back empty, or whose clock was wrong. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { accountKeys, clusterKeys } from '../../../src/cluster/keys.ts';
import { requestsPerSecond, startCluster } from '../../support/cluster/cluster-world.ts';
import type { ClusterMember } from '../../support/cluster/member.ts';
import { regions, zoneOf } from '../../support/cluster/service.ts';
import { hasRedis } from '../../support/redis.ts';

const patience = { timeout: 60_000, interval: 100 };
const [region] = regions;

describe.runIf(hasRedis)('a Redis', () => {
  test('that comes back empty gets every change back, and no account has two pollers', async () => {
    const world = await startCluster({ daemons: 3, accounts: 4, schedule: '*/2 * * * * *' });
    const { accounts, emulator, highestRate, members, redis } = world;
    const [newest, ...others] = members as [ClusterMember, ...ClusterMember[]];
    const setLimits = (limit: number) => {
      const place = { region, zone: zoneOf(region), quota_type: 'postpaid' } as const;
      for (const account of accounts) emulator.do({ do: 'set-limit', account, ...place, limit });
    };
    const counted = async (member: ClusterMember) => {
      const samples = await member.scrape();
      return accounts.map((account) =>
        ['raised', 'lowered'].map((direction) =>
          samples?.sum('cvm_quota_limit_changes_total', { account, region, direction }),
        ),
      );
    };
    const all = (raised: number, lowered: number) => accounts.map(() => [raised, lowered]);
    setLimits(200);
    for (const member of members)
      await expect.poll(() => counted(member), patience).toEqual(all(1, 0));
    // These two do not see the next changes, and connect first.
    for (const { network } of others) network.cut();
    setLimits(300);
    await expect.poll(() => counted(newest), patience).toEqual(all(2, 0));
    setLimits(200);
    await expect.poll(() => counted(newest), patience).toEqual(all(2, 1));
    newest.network.cut();
    await redis.kill();
    await redis.restartEmpty();

    for (const { network } of others) network.heal();
    await delay(500);
    newest.network.heal();

    const { total } = emulator.requests;
    await expect.poll(() => emulator.requests.total, patience).toBeGreaterThan(total + 50);
    for (const member of members)
      await expect.poll(() => counted(member), patience).toEqual(all(2, 1));
    expect(highestRate(emulator.requests.list())).toBeLessThanOrEqual(requestsPerSecond);
  });

  test('whose clock was an hour ahead stops no polling', async () => {
    const { accounts, emulator, redis } = await startCluster({ daemons: 1, accounts: 2 });
    const hence = Date.now() + 3_600_000;
    const connection = redis.connect();
    for (const account of accounts) {
      const { cycle } = accountKeys('test', account);
      await connection.hset(cycle, { finished: hence, ended: hence, due: hence, free: hence });
    }
    await connection.zadd(clusterKeys('test').heard, hence, 'gone');

    const { total } = emulator.requests;

    await expect.poll(() => emulator.requests.total, patience).toBeGreaterThan(total + 20);
  });
});
