/** A disk that takes 40 ms for each call, and two thousand targets: cycles, scrapes and the stop stay in bounds. */
import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { accountOf, startWatch } from '../support/watch.ts';

const regionNames = Array.from({ length: 20 }, (_, n) => `ap-region-${n}`);
const accounts = Array.from({ length: 100 }, (_, n) => accountOf(`account-${n}`, regionNames));
const counter = 'cvm_quota_limit_changes_total';

/** How long something takes, in milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const sinceMs = performance.now();
  await work();
  return performance.now() - sinceMs;
}

test(
  'with 40 ms a call and 2,000 targets, a quiet cycle takes as long as before, and all changes are counted',
  { timeout: 600_000 },
  async () => {
    const service = await startService();
    service.limitPerSecond = Infinity;
    for (const name of regionNames) service.region(name);
    const watch = await startWatch({ service, accounts, touchMs: 3_000 });
    const { cycle, disk, monitor, samples } = watch;
    const before = await timed(() => cycle());

    disk.trouble = { slowMs: 40 };
    const quiet = await timed(() => cycle());
    // Half as long again, and some seconds for a busy machine: nothing waits for the disk.
    expect(quiet).toBeLessThan(1.5 * before + 5_000);

    // Each account has the region: 500 records count a change.
    service.region('ap-region-7').setLimit('postpaid', 'ap-region-7-3', 300);
    monitor.clock.advance(60_000);
    monitor.schedule.due();
    const scrape = await timed(samples);
    expect(scrape).toBeLessThan(before + 5_000);
    const counted = async () => (await samples()).sum(counter, { direction: 'raised' });
    await expect.poll(counted, { timeout: 120_000, interval: 500 }).toBe(accounts.length);
    expect((await samples()).value('cvm_monitor_state_write_failures_total')).toBe(0);

    service.region('ap-region-8').setLimit('postpaid', 'ap-region-8-3', 300);
    monitor.clock.advance(60_000);
    monitor.schedule.due();
    await expect.poll(counted, { timeout: 120_000, interval: 50 }).toBeGreaterThan(accounts.length);
    // The stop of the daemon has 8 s. It gives up on what was only seen after 5 s.
    const stop = await timed(() => monitor.daemon.stop());
    expect(stop).toBeLessThan(8_000);
    const given = watch.lines.find(({ message }) => message.startsWith('records were not stored'));
    expect(given?.fields.reason).toBe('it is too slow');
    expect(given?.fields.records).toBeGreaterThan(100);
  },
);
