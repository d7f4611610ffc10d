import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { LaunchTemplateRecord } from '../../../src/collectors/launch-template/launch-template.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import type { Target } from '../../../src/model/target.ts';
import { FoundRecordError, type LoadReport, type Store } from '../../../src/state/store.ts';
import { newRecord } from '../../helpers/advance.ts';
import { templateTarget } from '../../helpers/fake-monitor.ts';
import { createMemoryStore } from '../../helpers/memory-store.ts';
import { polled, polledKeeper, withOneChange } from '../../helpers/polled-keeper.ts';

const one = templateTarget('a', 'ap-x', 'lt-1');
const two = templateTarget('a', 'ap-x', 'lt-2');

const unread = (targets: readonly Target[]): LoadReport => ({
  records: [],
  damaged: [],
  unread: targets.map((target) => ({ target, reason: 'EIO' })),
});

function setUp() {
  const memory = createMemoryStore();
  const disk = {
    isFull: false,
    load: memory.load.bind(memory),
    loads: 0,
    /** Every save waits for it. */
    saving: null as Promise<void> | null,
    saves: 0,
  };
  const store: Store = {
    ...memory,
    load(targets) {
      disk.loads += 1;
      return disk.load(targets);
    },
    async save(record) {
      disk.saves += 1;
      if (disk.isFull) throw new Error('disk full');
      await disk.saving;
      await memory.save(record);
    },
  };
  return {
    ...polledKeeper(store),
    disk,
    /** What a process before has stored. */
    leave: (record: TargetRecord) => memory.save(record),
    stored: async (target: Target) => (await memory.load([target])).records[0],
    /** Holds the next load; the answer of the caller ends it. */
    holdLoad: () => {
      const before = disk.load;
      const held = new EventEmitter();
      disk.load = async () => {
        disk.load = before;
        const [report] = (await once(held, 'end')) as [LoadReport];
        return report;
      };
      return { end: (report: LoadReport) => held.emit('end', report) };
    },
  };
}

describe('a reload while records are read or written', () => {
  let fixture: ReturnType<typeof setUp>;
  beforeEach(() => {
    fixture = setUp();
  });

  test('keeps the record of a target that it adds while others are tried again', async () => {
    const { keeper, disk, holdLoad, leave, poll, published, shown, stored } = fixture;
    await leave(withOneChange(two));
    disk.load = (targets) => Promise.resolve(unread(targets));
    await keeper.restore([one]);
    const retry = holdLoad();
    await expect.poll(() => disk.loads).toBe(2);

    await keeper.restore([one, two]);
    await poll(two, 2);
    retry.end(unread([one]));
    await expect.poll(() => disk.loads).toBeGreaterThan(4);

    expect(await stored(two)).toEqual(withOneChange(two));
    expect(published.showsCounters(shown(two))).toBe(false);
    expect(keeper.problem).toContain('2 stored records cannot be read');
    await keeper.flush();
  });

  test('says that records are unread until the last of them was read', async () => {
    const { keeper, disk, holdLoad } = fixture;
    disk.load = (targets) => Promise.resolve(unread(targets));
    await keeper.restore([one]);
    const retry = holdLoad();
    await expect.poll(() => disk.loads).toBe(2);

    await keeper.restore([one, two]);
    retry.end({ records: [], damaged: [], unread: [] });
    await expect.poll(() => disk.loads).toBeGreaterThan(3);

    expect(keeper.problem).toContain('1 stored records cannot be read');
    await keeper.flush();
  });

  test('writes nothing over the unread record of a target that it removes', async () => {
    const { keeper, disk, holdLoad, leave, poll, stored } = fixture;
    await leave(withOneChange(one));
    disk.load = (targets) => Promise.resolve(unread(targets));
    await keeper.restore([one]);
    const load = holdLoad();

    const reload = keeper.restore([two]);
    await poll(one, 3);
    load.end(unread([two]));
    await reload;

    expect(await stored(one)).toEqual(withOneChange(one));
    await keeper.flush();
  });

  test('loses nothing of a target that it adds again while its record gets stored', async () => {
    const { keeper, disk, holdLoad, leave, poll, shown } = fixture;
    await leave(polled(newRecord(one), 1).record);
    await keeper.restore([one]);
    disk.isFull = true;
    await poll(one, 2);
    await keeper.restore([]);
    const load = holdLoad();

    const reload = keeper.restore([one, two]);
    disk.isFull = false;
    await expect.poll(() => keeper.problem).toBeNull();
    load.end({ records: [], damaged: [], unread: [] });
    await reload;

    expect((shown(one) as LaunchTemplateRecord).counted.defaultVersionChanges).toBe(1);
  });
});

test('a target is live as soon as a reload adds it, so that its record is not removed as a gone one', async () => {
  const { keeper, holdLoad } = setUp();
  await keeper.restore([one]);
  const load = holdLoad();

  const reload = keeper.restore([two]);

  expect([keeper.isLive(one), keeper.isLive(two)]).toEqual([true, true]);
  load.end({ records: [], damaged: [], unread: [] });
  await reload;
  expect([keeper.isLive(one), keeper.isLive(two)]).toEqual([false, true]);
});

test('a record that appears while its target is polled takes back nothing that was shown', async () => {
  const { keeper, disk, poll, shown, stored } = setUp();
  await keeper.restore([one]);
  disk.isFull = true;
  await poll(one, 1);
  const held = new EventEmitter();
  disk.saving = once(held, 'end').then(() => {
    disk.saving = delay(20);
    throw new FoundRecordError('file', withOneChange(one));
  });
  disk.isFull = false;
  await expect.poll(() => disk.saves).toBe(2);

  const polling = poll(one, 2);
  held.emit('end');
  await polling;
  await keeper.flush();

  // The record that appeared says 2, the first poll saw 1, and the second one 2 again.
  expect(shown(one)).toMatchObject({ defaultVersionChanges: 2, lastDefaultVersion: 2 });
  expect(await stored(one)).toEqual(shown(one));
});
