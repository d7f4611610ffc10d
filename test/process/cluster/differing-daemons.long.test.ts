/** Daemons of a cluster that differ: in what they know, and in their clocks. */
import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { clusterKeys } from '../../../src/cluster/keys.ts';
import { createCluster, hasRedis, startCluster } from '../../support/cluster.ts';

test.runIf(hasRedis)(
  'an account that one of four daemons knows is passed on to it, and misses no cycle',
  async () => {
    const { members, names } = await createCluster({
      daemons: 4,
      accounts: 3,
      schedule: '*/4 * * * * *',
      lock: '15s',
      knows: (daemon, account) => daemon === 0 || account > 0,
    });
    const account = names[0]!;
    for (const { daemon } of members) daemon.spawn();
    const { daemon } = members[0]!;
    const cycles = (least: number) =>
      daemon.metricsWhen((each) => each.value('cvm_monitor_cycles_total', { account })! >= least);
    const missed = { account, reason: 'missed' };
    // A new cluster waits some seconds before its first poll, and may miss a due time meanwhile.
    const before = (await cycles(1)).value('cvm_monitor_cycles_skipped_total', missed);

    const after = (await cycles(5)).value('cvm_monitor_cycles_skipped_total', missed);
    expect(after).toBe(before);
  },
);

test.runIf(hasRedis)(
  'the job of an account that no daemon has known for a day is removed, and no earlier',
  async () => {
    const { redis } = await startCluster({ daemons: 1, accounts: 1 });
    const connection = { host: '127.0.0.1', port: redis.port };
    const queue = new Queue('cycles', { connection, prefix: clusterKeys('test').engine });
    onTestFinished(() => queue.close());
    const dayMs = 24 * 60 * 60 * 1_000;
    const add = async (account: string, knownBeforeMs: number) => {
      const data = { account, unknownSinceMs: Date.now() - knownBeforeMs };
      await queue.add('cycle', data, { jobId: `cycle@${account}` });
    };

    await add('young', dayMs - 60_000);
    await add('old', dayMs + 1_000);

    const exists = async (account: string) =>
      (await queue.getJob(`cycle@${account}`)) !== undefined;
    await expect.poll(() => exists('old')).toBe(false);
    const young = await queue.getJob('cycle@young');
    await expect.poll(() => young?.isDelayed()).toBe(true);
  },
);

test.runIf(hasRedis)(
  'daemons show the same times and no stale record, although the clock of one is two minutes fast',
  async () => {
    const { members } = await startCluster({
      daemons: 2,
      accounts: 4,
      firstClockAheadMs: 120_000,
      more: { poll: { stale_after: '30s' } },
    });

    for (let i = 0; i < 10; i += 1) {
      for (const { daemon } of members) {
        const samples = await daemon.metrics();
        expect(samples.matching('cvm_quota_limit', { quota_type: 'postpaid' })).toHaveLength(4);
        const times = samples.matching('cvm_monitor_target_last_success_timestamp_seconds');
        const latest = Math.max(...times.map(({ value }) => value));
        expect(latest).toBeLessThan(Date.now() / 1_000 + 5);
      }
      await delay(500);
    }
  },
);

test.runIf(hasRedis)(
  'what is due is run although the clock of a daemon that was killed was an hour ahead',
  async () => {
    const hourMs = 3_600_000;
    const { members, raiseAll, counted } = await startCluster({
      daemons: 2,
      accounts: 4,
      firstClockAheadMs: hourMs,
    });
    const [ahead, other] = members.map(({ daemon }) => daemon);
    await ahead!.logged('the clock differs from that of Redis, which is used instead');
    await counted(other!);

    await ahead!.stop('SIGKILL');

    raiseAll();
    await counted(other!);
  },
);
