/** Daemons of a cluster that differ: in what they know, and in their clocks. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createCluster, hasRedis, startCluster } from '../../support/cluster.ts';

describe.runIf(hasRedis)('daemons of a cluster', () => {
  test('pass on an account that one of four knows, so that it misses no cycle', async () => {
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
  });

  test('show the same times and no stale record, although the clock of one is two minutes fast', async () => {
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
  });
});
