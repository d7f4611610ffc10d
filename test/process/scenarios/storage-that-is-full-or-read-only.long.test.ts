/** The disk is full or read-only: polling, scraping and stopping go on, and each change is counted once after. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { smallDisk, type SmallDisk } from '../../support/disk.ts';
import { configOf, startDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const raised = { quota_type: 'image', direction: 'raised' };
const counter = 'cvm_quota_limit_changes_total';

async function watched(disk: SmallDisk) {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  const daemon = await startDaemon({
    config: configOf(service, {}),
    storagePath: join(disk.directory, 'data'),
  });
  return { region, daemon };
}

const troubles: Record<string, (disk: SmallDisk) => Promise<() => Promise<void>>> = {
  full: async (disk) => {
    await disk.fill();
    return disk.free;
  },
  'read-only': ({ remount }) => {
    remount('ro');
    return Promise.resolve(() => {
      remount('rw');
      return Promise.resolve();
    });
  },
};

test.each(Object.keys(troubles))(
  'A disk that is %s stops neither polls nor scrapes',
  async (name) => {
    const disk = await smallDisk();
    if (disk === undefined) return;
    const { region, daemon } = await watched(disk);
    const relieve = await troubles[name]!(disk);

    region.setLimit('image', null, 11);
    const during = await daemon.metricsWhen(
      (each) => (each.value('cvm_monitor_state_write_failures_total') ?? 0) > 0,
    );
    await daemon.cycle();
    expect(during.value('cvm_monitor_target_up')).toBe(1);
    expect((await daemon.metrics()).value('cvm_quota_limit', { quota_type: 'image' })).toBe(11);
    await daemon.logged(
      'records cannot be stored; polling goes on',
      ({ level }) => level === 'error',
    );

    await relieve();
    await daemon.logged('records are stored again');
    await daemon.metricsWhen((each) => each.value(counter, raised) === 1);
    await daemon.restart('SIGKILL');
    expect((await daemon.cycle()).value(counter, raised)).toBe(1);
    expect(await daemon.feed()).toEqual(['image: quota-limit-raised 10 → 11']);
  },
);

test.each(Object.keys(troubles))(
  'A stop while the disk is %s exits 0, and the change is counted once by the next daemon',
  async (name) => {
    const disk = await smallDisk();
    if (disk === undefined) return;
    const { region, daemon } = await watched(disk);
    const relieve = await troubles[name]!(disk);
    region.setLimit('image', null, 11);
    await daemon.logged('records cannot be stored; polling goes on');

    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    await relieve();
    daemon.spawn();
    await daemon.metricsWhen((each) => each.value(counter, raised) === 1);
    expect((await daemon.cycle()).value(counter, raised)).toBe(1);
  },
);
