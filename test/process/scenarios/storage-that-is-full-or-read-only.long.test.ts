/** The disk is full or read-only: polling, scraping and stopping go on, and each change is counted once after. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { orderedDisk, smallDisk } from '../../support/disks.ts';
import { type DaemonOptions, startWatched } from '../../support/program.ts';

const raised = { quota_type: 'image', direction: 'raised' };
const counter = 'cvm_quota_limit_changes_total';
const trouble = 'records cannot be stored; polling goes on, changes are counted later';

/** A disk with a trouble that begins and ends. */
interface Troubled {
  readonly options: Partial<DaemonOptions>;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const disks: Record<string, () => Promise<Troubled | undefined>> = {
  full: async () => {
    const disk = await smallDisk();
    if (disk === undefined) return undefined;
    const options = { storagePath: join(disk.directory, 'data') };
    return { options, begin: disk.fill, end: disk.free };
  },
  'read-only': async () => {
    const { options, order, setFree } = await orderedDisk();
    return { options, begin: () => order('EROFS'), end: setFree };
  },
};

test.each(Object.keys(disks))('A disk that is %s stops neither polls nor scrapes', async (name) => {
  const disk = await disks[name]!();
  if (disk === undefined) return;
  const { region, daemon } = await startWatched({}, disk.options);
  await disk.begin();

  region.setLimit('image', null, 11);
  const during = await daemon.metricsWhen(
    (each) => (each.value('cvm_monitor_state_write_failures_total') ?? 0) > 0,
  );
  await daemon.cycle();
  expect(during.value('cvm_monitor_target_up')).toBe(1);
  expect((await daemon.metrics()).value('cvm_quota_limit', { quota_type: 'image' })).toBe(11);
  await daemon.logged(trouble, ({ level }) => level === 'error');

  await disk.end();
  await daemon.logged('records are stored again');
  await daemon.metricsWhen((each) => each.value(counter, raised) === 1);
  await daemon.restart('SIGKILL');
  expect((await daemon.cycle()).value(counter, raised)).toBe(1);
  expect(await daemon.feed()).toEqual(['image: quota-limit-raised 10 → 11']);
});

test.each(Object.keys(disks))(
  'A stop while the disk is %s exits 0, and the change is counted once by the next daemon',
  async (name) => {
    const disk = await disks[name]!();
    if (disk === undefined) return;
    const { region, daemon } = await startWatched({}, disk.options);
    await disk.begin();
    region.setLimit('image', null, 11);
    await daemon.logged(trouble);

    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    await disk.end();
    daemon.spawn();
    await daemon.metricsWhen((each) => each.value(counter, raised) === 1);
    expect((await daemon.cycle()).value(counter, raised)).toBe(1);
  },
);
