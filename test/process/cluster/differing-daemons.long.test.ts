/** Daemons of a cluster that differ: in what they know, and in their clocks. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createCluster, startCluster } from '../../support/cluster/cluster-world.ts';
import { hasRedis } from '../../support/redis.ts';

const patience = { timeout: 60_000, interval: 100 };

describe.runIf(hasRedis)('daemons of a cluster', () => {
  test('pass on an account that one of four knows, so that it misses no cycle', async () => {
    const { accounts, members } = await createCluster({
      daemons: 4,
      accounts: 3,
      schedule: '*/4 * * * * *',
      lock: '15s',
      edit: (config, daemon) =>
        daemon === 0 ? config : { ...config, accounts: config.accounts.slice(1) },
    });
    const account = accounts[0]!;
    await Promise.all(members.map((member) => member.start()));
    const { daemon } = members[0]!;
    const counter = async (name: string, labels = {}) =>
      (await daemon.metrics()).value(name, { account, ...labels });
    const missed = () => counter('cvm_monitor_cycles_skipped_total', { reason: 'missed' });
    const cycles = () => counter('cvm_monitor_cycles_total');
    // A new cluster waits some seconds before its first poll, and may miss a due time meanwhile.
    await expect.poll(cycles, patience).toBeGreaterThan(0);
    const missedAtFirst = await missed();

    await expect.poll(cycles, patience).toBeGreaterThan(4);
    expect(await missed()).toBe(missedAtFirst);
  });

  test('show the same times and no stale record, although the clock of one is two minutes fast', async () => {
    const { members } = await startCluster({
      daemons: 2,
      accounts: 4,
      firstClockAheadMs: 120_000,
      edit: (config) => ({ ...config, poll: { ...config.poll, stale_after: '30s' } }),
    });

    for (let i = 0; i < 10; i += 1) {
      for (const { daemon } of members) {
        const samples = await daemon.metrics();
        expect(samples.matching('cvm_quota_limit', { quota_type: 'postpaid' })).toHaveLength(8);
        const times = samples.matching('cvm_monitor_target_last_success_timestamp_seconds');
        const latest = Math.max(...times.map(({ value }) => value));
        expect(latest).toBeLessThan(Date.now() / 1_000 + 5);
      }
      await delay(500);
    }
  });
});
