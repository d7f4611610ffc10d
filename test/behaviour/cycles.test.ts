/** Readiness, and cycles that take longer than the schedule allows. */
import { expect, test } from 'vitest';
import { asked } from '../support/emulator.ts';
import { accountOf, emulateWatched, startWatch, type WatchOptions } from '../support/monitor.ts';

/** Two accounts. A region of the first one does not answer until the end of the fault. */
async function startBeside(slow: 'ap-slow' | 'none', options: WatchOptions = {}) {
  const emulator = await emulateWatched('ap-slow', 'ap-a', 'ap-b');
  const hang = () => emulator.faults.add({ region: 'ap-slow', effect: 'hang' });
  if (slow === 'ap-slow') hang();
  const accounts = [accountOf('one', ['ap-slow', 'ap-a']), accountOf('two', ['ap-b'])];
  const watch = await startWatch({ emulator, accounts, ...options });
  const value = async (name: string, labels: Record<string, string>) =>
    (await watch.samples()).value(`cvm_monitor_${name}`, labels) ?? 0;
  return { ...watch, hang, value };
}

test('readiness comes with the first attempt of every target, be it a failure', async () => {
  const options = { waitsForFirstCycle: false, timeout: '3s' };
  const { get, value } = await startBeside('ap-slow', options);
  const statusOf = async (path: string) => (await get(path)).status;

  await expect.poll(() => value('target_up', { region: 'ap-a' })).toBe(1);
  expect([await statusOf('/-/ready'), await statusOf('/-/healthy')]).toEqual([503, 200]);
  const ready = await get('/-/ready');
  expect(await ready.text()).toMatch(/^not ready: [12] of 3 targets not yet attempted\n/);
  await expect.poll(() => statusOf('/-/ready')).toBe(200);

  expect(await value('poll_failures_total', { region: 'ap-slow', code: 'Timeout' })).toBe(1);
});

test('a region that never answers delays neither other regions nor other accounts; its cycles are skipped and counted', async () => {
  const { clock, emulator, hang, logged, timer, value } = await startBeside('none', {
    timeout: '5m',
  });
  hang();
  const polls = () => asked(emulator, { region: 'ap-slow' }).length;
  const before = polls();
  const due = async () => {
    const polls = await value('polls_total', { region: 'ap-a' });
    const cycles = await value('cycles_total', { account: 'two' });
    clock.advance(60_000);
    timer.due();
    await expect.poll(() => value('polls_total', { region: 'ap-a' })).toBe(polls + 1);
    await expect.poll(() => value('cycles_total', { account: 'two' })).toBe(cycles + 1);
  };

  for (let count = 0; count < 3; count += 1) await due();

  expect(polls()).toBe(before + 1);
  expect(await value('cycles_total', { account: 'one' })).toBe(1);
  expect(await value('cycles_skipped_total', { account: 'one', reason: 'overlap' })).toBe(2);
  expect(await value('cycles_skipped_total', { account: 'one', reason: 'missed' })).toBe(0);
  expect(logged('cycle is late')).toHaveLength(1);
  emulator.faults.clear();
});
