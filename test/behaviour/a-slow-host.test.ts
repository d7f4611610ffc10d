/** A host that does not answer delays nothing but its own targets. */
import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { accountOf, startWatch } from '../support/monitor.ts';

test('a region that never answers delays neither the next polls of other regions nor the cycles of other accounts', async () => {
  const service = await startService();
  service.limitPerSecond = Infinity;
  for (const name of ['ap-slow', 'ap-a', 'ap-b']) service.region(name);
  const watch = await startWatch({
    service,
    accounts: [accountOf('one', ['ap-slow', 'ap-a']), accountOf('two', ['ap-b'])],
  });
  const fault = service.fault({ region: 'ap-slow', hangs: true });
  const before = service.asked({ region: 'ap-slow' }).length;

  const value = async (name: string, labels: Record<string, string>) =>
    (await watch.samples()).value(name, labels) ?? 0;
  for (let due = 1; due <= 3; due += 1) {
    const polls = await value('cvm_monitor_polls_total', { account: 'one', region: 'ap-a' });
    const cycles = await value('cvm_monitor_cycles_total', { account: 'two' });
    watch.monitor.clock.advance(60_000);
    watch.monitor.schedule.due();
    await expect
      .poll(() => value('cvm_monitor_polls_total', { account: 'one', region: 'ap-a' }))
      .toBe(polls + 1);
    await expect.poll(() => value('cvm_monitor_cycles_total', { account: 'two' })).toBe(cycles + 1);
  }

  expect(service.asked({ region: 'ap-slow' })).toHaveLength(before + 1);
  expect(await value('cvm_monitor_cycles_total', { account: 'one' })).toBe(1);
  const skipped = { account: 'one', reason: 'overlap' };
  expect(await value('cvm_monitor_cycles_skipped_total', skipped)).toBe(2);
  expect(watch.logged('cycle is late')).toHaveLength(1);
  fault.end();
});
