/** Store, then count: a storage in trouble delays counters, and nothing else. No value is ever taken back. */
import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';
import { changeAnswer, setLimit, setUsed } from '../support/emulator.ts';
import { type Watch, accountOf, restart, startWatch } from '../support/monitor.ts';
import { TroubledDisk } from '../support/troubled-disk.ts';

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

const severities = async ({ samples }: Watch) =>
  (await samples())
    .matching('cvm_quota_severity')
    .map(({ labels: { reason, severity } }) => `${severity} ${reason}`);

interface Row {
  RemainingQuota: unknown;
}
const changeRows = ({ emulator }: Watch, change: (rows: Row[]) => void) => {
  const query = { Action: 'DescribeAccountQuota', Region: 'ap-guangzhou' };
  changeAnswer(emulator, query, (response) => {
    change(response.AccountQuotaOverview.AccountQuota.PostPaidQuotaSet as Row[]);
  });
};
const loseRow = (rows: Row[]) => {
  rows.splice(0);
};
const spoilRow = (rows: Row[]) => {
  rows[0]!.RemainingQuota = 'x';
};

/** Starts a daemon on a copy of the files of one that still runs, as after a kill. */
async function startAfterKill({ options, ...watch }: Watch): Promise<Watch> {
  const directory = await temporaryDirectory();
  const filter = (path: string) => !path.endsWith('lock');
  await cp(`${watch.directory}/data`, `${directory}/data`, { recursive: true, filter });
  const startMs = watch.clock.now() + 60_000;
  const rest = { disk: new TroubledDisk(), emulator: watch.emulator };
  return startWatch({ ...options, ...rest, directory, startMs, waitsForFirstCycle: false });
}

test.each([
  ['missing', loseRow, 'critical disappeared'],
  ['unreadable', spoilRow, 'critical low'],
] as const)(
  'the severity of a quota that is %s survives a kill, before and after the next polls',
  async (_what, change, atLast) => {
    const watch = await startWatch();
    watch.emulator.do(setUsed('postpaid', 195));
    await watch.cycle();
    changeRows(watch, change);
    await watch.cycle();
    const kept = await severities(watch);

    const next = await startAfterKill(watch);
    const atStart = await severities(next);
    for (let poll = 1; poll <= 4; poll += 1) await next.cycle();
    const last = await startAfterKill(next);

    expect([kept, atStart]).toEqual([['critical low'], ['critical low']]);
    expect([await severities(next), await severities(last)]).toEqual([[atLast], [atLast]]);
    watch.emulator.faults.clear();
    await last.cycle();
    expect(await severities(last)).toEqual(['critical low']);
  },
);

test('the severity of a quota that goes missing while the storage fails lasts until it disappears, and then', async () => {
  const watch = await startWatch();
  watch.emulator.do(setUsed('postpaid', 195));
  await watch.cycle();
  watch.disk.trouble = 'EIO';
  changeRows(watch, loseRow);
  for (let poll = 1; poll <= 5; poll += 1) await watch.cycle();
  const failing = await severities(watch);

  await watch.disk.heal();
  for (let poll = 1; poll <= 4; poll += 1) await watch.cycle();

  expect([failing, await severities(watch)]).toEqual([['critical low'], ['critical disappeared']]);
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
