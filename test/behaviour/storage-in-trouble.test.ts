/** Store, then count: a storage in trouble delays counters, and nothing else. No value is ever taken back. */
import { expect, test } from 'vitest';
import { setLimit } from '../support/emulator.ts';
import { type Watch, accountOf, restart, startWatch } from '../support/monitor.ts';

/** What is shown of the one quota. */
async function shown({ samples, feed }: Watch) {
  const all = await samples();
  const counter = (direction: string) => all.value('cvm_quota_limit_changes_total', { direction });
  return {
    limit: all.value('cvm_quota_limit'),
    raised: counter('raised'),
    lowered: counter('lowered'),
    unwritten: all.value('cvm_monitor_state_unwritten_records'),
    feed: await feed(),
  };
}

const fine = { unwritten: 0, lowered: 0, raised: 0, feed: [] };
const failing = 'records cannot be stored';
const working = 'records are stored again';

test.each(['EIO', 'ENOSPC', 'EROFS', 'hangs'])(
  'while the storage has the trouble %s, gauges move and counters wait, with one line when it begins and ends',
  async (trouble) => {
    const watch = await startWatch();
    const { cycle, disk, get, logged } = watch;
    await cycle();
    expect(await shown(watch)).toEqual({ ...fine, limit: 200 });

    disk.trouble = trouble;
    watch.emulator.do(setLimit('postpaid', 300));
    for (const limit of [300, 400, 500]) {
      watch.emulator.do(setLimit('postpaid', limit));
      await cycle();
      expect(await shown(watch)).toEqual({ ...fine, limit, unwritten: 1 });
    }
    expect(logged(failing, working)).toHaveLength(1);
    const samples = await watch.samples();
    expect(samples.value('cvm_monitor_state_write_failures_total')).toBe(3);
    const ready = await get('/-/ready');
    expect(ready.status).toBe(200);
    expect(await ready.text()).toMatch(
      trouble === 'hangs' ? /no answer within|do not answer/ : new RegExp(trouble),
    );

    await disk.heal();
    await cycle();
    const counted = {
      ...fine,
      limit: 500,
      raised: 1,
      feed: ['quota-limit-raised 200 → 500'],
    };
    expect(await shown(watch)).toEqual(counted);
    expect(logged(failing, working)).toHaveLength(2);
    expect(logged('change')).toHaveLength(1);

    const next = await restart(watch);
    expect(await shown(next)).toEqual(counted);
  },
);

test('a record that could not be stored waits no longer when its target is gone', async () => {
  const watch = await startWatch();
  watch.disk.trouble = 'ENOSPC';
  watch.emulator.do(setLimit('postpaid', 300));
  await watch.cycle();
  expect(await shown(watch)).toMatchObject({ unwritten: 1 });

  watch.present.accounts = [accountOf('other', ['ap-guangzhou'])];
  await watch.daemon.reload();

  const all = await watch.samples();
  expect(all.value('cvm_monitor_state_unwritten_records')).toBe(0);
  await watch.disk.heal();
});

test('what went back before the storage worked again is no change', async () => {
  const watch = await startWatch();
  watch.disk.trouble = 'ENOSPC';
  for (const limit of [300, 200]) {
    watch.emulator.do(setLimit('postpaid', limit));
    await watch.cycle();
  }

  await watch.disk.heal();
  await watch.cycle();

  expect(await shown(watch)).toEqual({ ...fine, limit: 200 });
});

test('a baseline that could not be stored is the baseline of the next poll, and no change', async () => {
  const disk = (await startWatch()).disk;
  const watch = await startWatch({ disk, waitsForFirstCycle: false });
  disk.trouble = 'EIO';
  await watch.cycle();
  watch.emulator.do(setLimit('postpaid', 300));
  await disk.heal();
  await watch.cycle();

  expect(await shown(watch)).toEqual({ ...fine, limit: 300 });
});
