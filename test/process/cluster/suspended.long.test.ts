/** A daemon that is suspended while its write is on the way to Redis. */
import { describe, expect, test } from 'vitest';
import { accountKeys } from '../../../src/cluster/keys.ts';
import { createCluster, type ClusterWorld } from '../../support/cluster/cluster-world.ts';
import { cycleReader } from '../../support/cluster/cycle-state.ts';
import { regions, zoneOf } from '../../support/cluster/service.ts';
import { hasRedis } from '../../support/redis.ts';

const patience = { timeout: 60_000, interval: 50 };
/** No other number of the record contains it. */
const limit = 77_777;
const [region] = regions;
const raised = { region, quota_type: 'postpaid', direction: 'raised' };

/** The revisions of the records of the account. */
function revisionReader({ accounts, redis }: ClusterWorld) {
  const connection = redis.connect();
  const { revisions } = accountKeys('test', accounts[0]!);
  return () => connection.zrange(revisions, 0, -1, 'WITHSCORES');
}

describe.runIf(hasRedis)('a daemon that is suspended while its write is on the way', () => {
  test('writes nothing after its lock has passed on, also when the write arrives then', async () => {
    const world = await createCluster({ daemons: 2, accounts: 1, schedule: '*/2 * * * * *' });
    const { emulator, members, redis } = world;
    const [suspended, other] = members as [(typeof members)[0], (typeof members)[0]];
    const readCycles = cycleReader(world);
    const revisions = revisionReader(world);
    await suspended.start();
    await suspended.daemon.ready();
    const held = suspended.network.holdFrom(`${limit}`);
    emulator.do({ do: 'set-limit', region, zone: zoneOf(region), quota_type: 'postpaid', limit });
    await held;
    suspended.suspend();
    // The other daemon has the cycle, and writes nothing yet.
    emulator.faults.add({ effect: 'latency', latency: { min: '9000ms', max: '9000ms' } });
    await other.start();
    const { pid } = other.daemon;
    await expect
      .poll(readCycles, patience)
      .toEqual([expect.objectContaining({ pid, isRunning: true })]);
    const before = await revisions();

    const { arrived } = await redis.sees(`${limit}`);
    suspended.network.heal();
    await arrived;

    expect(await revisions()).toEqual(before);
    suspended.resume();
    await expect.poll(() => suspended.scrape(), patience).not.toBeNull();
    expect(await revisions()).toEqual(before);
    expect(await readCycles()).toEqual([expect.objectContaining({ pid, isRunning: true })]);
    // The other daemon finds the same change, and counts it once.
    for (const member of [other, suspended]) {
      const count = async () =>
        (await member.scrape())?.sum('cvm_quota_limit_changes_total', raised);
      await expect.poll(count, patience).toBe(1);
    }
    expect(await revisions()).not.toEqual(before);
  });
});
