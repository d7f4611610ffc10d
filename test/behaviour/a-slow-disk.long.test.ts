/** `TARGETS` is how many the disk stores, a multiple of 20. */
import { expect, test } from 'vitest';
import { setLimit } from '../support/emulator.ts';
import { accountOf, emulateWatched, startWatch } from '../support/monitor.ts';
import { TroubledDisk } from '../support/troubled-disk.ts';

const regionNames = Array.from({ length: 20 }, (_, n) => `ap-region-${n}`);
const counter = 'cvm_quota_limit_changes_total';

/** How long something takes, in milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const sinceMs = performance.now();
  await work();
  return performance.now() - sinceMs;
}

const targets = Number(process.env.TARGETS ?? 400);

test(
  'with 40 ms a call, cycles, scrapes and the stop stay in bounds, and all changes are counted',
  { timeout: 1_800_000 },
  async () => {
    const accounts = Array.from({ length: targets / regionNames.length }, (_, n) =>
      accountOf(`account-${n}`, regionNames),
    );
    const emulator = await emulateWatched(...regionNames);
    // A process that stands still for seconds has no disk that hangs, and no service that does not answer.
    const disk = new TroubledDisk({ timeoutMs: 60_000 });
    const watch = await startWatch({ emulator, disk, accounts, timeout: '120s', touchMs: 3_000 });
    const { clock, cycle, daemon, samples, timer } = watch;
    const before = await timed(() => cycle());

    disk.trouble = { slowMs: 40 };
    const quiet = await timed(() => cycle());
    // To store a record takes two calls. Nothing waits for that, however busy the machine is.
    expect(quiet).toBeLessThan(before + targets * 40);

    // Each account has the region: a twentieth of the records counts a change.
    const changeIn = async (region: string) => {
      emulator.do(setLimit('postpaid', 300, region));
      clock.advance(60_000);
      timer.due();
      const { calls } = disk;
      await expect.poll(() => disk.calls - calls, { timeout: 60_000 }).toBeGreaterThan(8);
    };
    const raised = async () => (await samples()).sum(counter, { direction: 'raised' });
    await changeIn('ap-region-7');
    // A scrape waits for no save.
    expect(await raised()).toBeLessThan(accounts.length);
    // To read all series often would take more time than the saves.
    const often = { timeout: 300_000, interval: targets };
    await expect.poll(raised, often).toBe(accounts.length);
    expect((await samples()).value('cvm_monitor_state_write_failures_total')).toBe(0);

    await changeIn('ap-region-8');
    // A stop has 10 s. It gives up on what was only seen after 5 s.
    const stop = await timed(() => daemon.stop());
    expect(stop).toBeLessThan(10_000);
    const given = watch.lines.find(({ message }) => message.startsWith('records were not stored'));
    expect(given?.fields.reason).toBe('it is too slow');
    expect(given?.fields.records).toBeGreaterThan(100);
  },
);
