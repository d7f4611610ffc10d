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

test('a target with nothing to ask has no series, no row of the list, and is not counted as answered', async () => {
  const emulator = await emulateWatched('ap-a');
  emulator.faults.add({ effect: 'error', code: 'AuthFailure.SecretIdNotFound' });
  const regions = [{ name: 'ap-a', scaling_groups: [], launch_templates: ['lt-00000001'] }];
  const accounts = [{ ...accountOf('one', regions), launches: true }];
  const { get, json, lines, metrics } = await startWatch({ emulator, accounts });

  const operations = ['DescribeAccountQuota', 'DescribeLaunchTemplateVersions'];
  const { series } = await metrics();
  const up = [...series.keys()].filter((name) => name.startsWith('cvm_monitor_target_up{'));
  expect(up.map((name) => /operation="(\w+)"/.exec(name)?.[1])).toEqual(operations);
  expect(await json('/api/v1/targets')).toMatchObject({
    targets: operations.map((operation) => ({ operation, up: false })),
  });
  expect(await (await get('/')).text()).toContain('0 of 2 up');
  const ended = lines.find(({ message }) => message === 'first cycle ended');
  expect(ended?.fields).toMatchObject({ targets: 2, answered: 0 });
});
