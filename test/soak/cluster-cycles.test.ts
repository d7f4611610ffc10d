/** Who runs the cycle of an account, and what a daemon that lost it can still do. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  createCluster,
  requestsPerSecond,
  startCluster,
} from '../support/cluster/cluster-world.ts';
import { cycleReader, type CycleState } from '../support/cluster/cycle-state.ts';
import type { ClusterMember } from '../support/cluster/member.ts';
import { hasRedis } from '../support/redis.ts';

/** The cycles of the start are due, and no others. */
const yearly = '0 0 1 1 *';
const patience = { timeout: 60_000, interval: 50 };

type Read = () => Promise<CycleState[]>;

/** How long an answer takes while cycles are to be long. */
const answerMs = 5_000;

/** A cluster whose daemons are in the middle of long cycles. */
async function busyCluster(lock: string) {
  const world = await createCluster({
    daemons: 3,
    accounts: 9,
    schedule: yearly,
    lock,
    edit: (config) => ({ ...config, api: { ...config.api, timeout: '1m' } }),
  });
  const { emulator, members } = world;
  emulator.faults.add({
    effect: 'latency',
    latency: { min: `${answerMs}ms`, max: `${answerMs}ms` },
  });
  await Promise.all(members.map((member) => member.start()));
  const read = cycleReader(world);
  const busy: { member: ClusterMember; running: CycleState[] }[] = [];
  await expect
    .poll(async () => {
      const states = await read();
      for (const member of members) {
        const { pid } = member.daemon;
        const running = states.filter((each) => each.isRunning && each.pid === pid);
        if (running.length > 0) busy.push({ member, running });
      }
      return busy.length;
    }, patience)
    .toBeGreaterThan(0);
  return { ...world, ...busy[0]!, read };
}

/** Resolves when other daemons have begun the cycles. */
async function takenOver(read: Read, lost: readonly CycleState[], timeout: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const now = await read();
        return lost.filter(({ account, epoch, pid }) => {
          const state = now.find((each) => each.account === account)!;
          return state.epoch === epoch || state.pid === pid;
        });
      },
      { ...patience, timeout },
    )
    .toEqual([]);
}

/** Resolves when every account was polled completely. */
async function idle(read: Read): Promise<void> {
  await expect
    .poll(async () => {
      return (await read()).filter(({ isFinished, isRunning }) => isRunning || !isFinished);
    }, patience)
    .toEqual([]);
}

describe.runIf(hasRedis)('daemons of a cluster', () => {
  test('run each cycle of an account once', async () => {
    const periodMs = 2_000;
    const startedMs = Date.now();
    const world = await startCluster({ daemons: 4, accounts: 10, schedule: '*/2 * * * * *' });

    await delay(5 * periodMs);

    const counts = await Promise.all(
      world.members.map(async ({ daemon }) =>
        (await daemon.metrics()).sum('cvm_monitor_cycles_total'),
      ),
    );
    const cycles = counts.reduce((sum, count) => sum + count, 0);
    // The last one before the start is due too.
    const dueTimes = Math.floor(Date.now() / periodMs) - Math.floor(startedMs / periodMs) + 1;
    expect(cycles).toBeGreaterThan(10);
    expect(cycles).toBeLessThanOrEqual(10 * dueTimes);
    const requests = world.emulator.requests.list();
    // Those of a cycle under way are not in a cycle that has ended.
    expect(requests.length).toBeLessThanOrEqual(4 * 10 * dueTimes);
    expect(world.highestRate(requests)).toBeLessThanOrEqual(requestsPerSecond);
  });

  test('take over the cycles of one that was killed', async () => {
    const { emulator, highestRate, member, members, read, running } = await busyCluster('2s');

    await member.kill();

    // Within the lock and 2 s. The rest is for a busy machine.
    await takenOver(read, running, 15_000);
    await idle(read);
    const counts = await Promise.all(
      members
        .filter((each) => each !== member)
        .map(async (each) =>
          (await each.daemon.metrics()).sum('cvm_monitor_cluster_cycles_taken_over_total'),
        ),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(running.length);
    expect(highestRate(emulator.requests.list())).toBeLessThanOrEqual(requestsPerSecond);
  });

  test('run what is due although the clock of one that was killed was an hour ahead', async () => {
    const world = await startCluster({ daemons: 2, accounts: 4, firstClockAheadMs: 3_600_000 });
    const [ahead, other] = world.members;
    const read = cycleReader(world);
    await expect
      .poll(() => ahead!.daemon.log.map(({ msg }) => msg), patience)
      .toContain('the clock differs from that of Redis, which is used instead');

    await ahead!.kill();

    const atKill = await read();
    const { pid } = other!.daemon;
    await expect
      .poll(async () => {
        const now = await read();
        return now.filter((each, i) => each.pid !== pid || each.epoch <= atKill[i]!.epoch);
      }, patience)
      .toEqual([]);
  });

  test('get the cycles of one that stops at once', async () => {
    const { member, read, running } = await busyCluster('5m');

    const exit = await member.daemon.stop();

    expect(exit.code).toBe(0);
    await takenOver(read, running, 60_000);
    await idle(read);
  });

  test('refuse what a suspended one has in hand when it goes on', async () => {
    const { emulator, highestRate, member, read, running } = await busyCluster('2s');

    member.suspend();
    // What the others ask for from now on is answered when this test has looked.
    emulator.faults.clear();
    emulator.faults.add({ effect: 'latency', latency: { min: '20000ms', max: '20000ms' } });
    const isAnswered = delay(answerMs);
    await takenOver(read, running, 60_000);
    await isAnswered;
    const before = await read();
    member.resume();
    await delay(1_500);
    const after = await read();

    const revisions = (states: readonly CycleState[]) =>
      states
        .filter(({ account }) => running.some((each) => each.account === account))
        .map(({ revision }) => revision);
    expect(revisions(after)).toEqual(revisions(before));
    await idle(read);
    expect(highestRate(emulator.requests.list())).toBeLessThanOrEqual(requestsPerSecond);
    expect(member.daemon.hasExited).toBe(false);
  });
});
