import type { LaunchTemplateRecord } from '../../../src/collectors/launch-template/launch-template.ts';
import { setImmediate } from 'node:timers/promises';
import { silentLogger } from '../../helpers/silent-logger.ts';
import { templateTarget } from '../../helpers/fake-monitor.ts';
import { describe, expect, test } from 'vitest';
import { newRecord } from '../../helpers/advance.ts';
import type { Change } from '../../../src/model/change.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { targetKey, type Target } from '../../../src/model/target.ts';
import { createMemoryStore } from '../../helpers/memory-store.ts';
import { polled, polledKeeper, withOneChange } from '../../helpers/polled-keeper.ts';
import { FoundRecordError, type Store } from '../../../src/state/store.ts';

const targetOf = (templateId: string): Target => templateTarget('a', 'ap-x', templateId);

const counted = (record: TargetRecord | undefined) =>
  (record as LaunchTemplateRecord | undefined)?.counted.defaultVersionChanges;

const quick = { minMs: 5, maxMs: 5 };
/** Never within a test. */
const never = { minMs: 1_000_000, maxMs: 1_000_000 };

function setUp({ retry = quick, freshnessPeriodMs = 1_000_000 } = {}) {
  const memory = createMemoryStore();
  const disk = {
    isFull: false,
    /** Records that cannot be written, by template. */
    tooLarge: new Set<string>(),
    isUnreadable: false,
    /** Holds back the report of the next load. */
    held: null as Promise<void> | null,
    /** Appears in the place of the next record that is saved. */
    appearing: null as TargetRecord | null,
    saves: 0,
    loads: 0,
  };
  const store: Store = {
    ...memory,
    load: async (targets) => {
      disk.loads += 1;
      const { held, isUnreadable } = disk;
      disk.held = null;
      const loaded = await memory.load(targets);
      await held;
      if (!isUnreadable) return loaded;
      return {
        records: [],
        damaged: [],
        unread: targets.map((target) => ({ target, reason: 'EIO' })),
      };
    },
    save: async (record) => {
      disk.saves += 1;
      const { appearing } = disk;
      const id = record.target.resource?.template_id ?? '';
      if (disk.isFull || disk.tooLarge.has(id)) throw new Error('disk full');
      disk.appearing = null;
      if (appearing !== null) throw new FoundRecordError('file', appearing);
      await memory.save(record);
    },
  };
  const lines: string[] = [];
  const write = (message: string) => void lines.push(message);
  const lateChanges: Change[] = [];
  const { keeper, published, shown, poll } = polledKeeper(store, {
    logger: { ...silentLogger, info: write, warn: write, error: write },
    onLate: ({ changes }) => lateChanges.push(...changes),
    retry,
    freshnessPeriodMs,
  });
  return {
    keeper,
    disk,
    lines,
    lateChanges,
    published,
    shown: (id: string) => shown(targetOf(id)),
    poll: (id: string, version: number) => poll(targetOf(id), version),
    stored: async (id: string) => (await memory.load([targetOf(id)])).records[0],
    /** What a process before has stored. */
    leave: (record: TargetRecord) => memory.save(record),
  };
}

describe('a store that fails', () => {
  test('is logged once, counted, and keeps no record from being shown', async () => {
    const { keeper, disk, lines, poll, shown } = setUp({ retry: never });
    await keeper.restore([targetOf('lt-1')]);
    disk.isFull = true;

    await poll('lt-1', 1);
    await poll('lt-1', 2);

    expect(keeper.failures).toBe(2);
    expect(keeper.problem).toBe('disk full');
    expect(lines).toEqual(['records cannot be stored; polling goes on']);
    expect(counted(shown('lt-1'))).toBe(1);
  });

  test('gets the newest records when it works again, without a further poll', async () => {
    const { keeper, disk, lines, poll, stored } = setUp();
    await keeper.restore([targetOf('lt-1'), targetOf('lt-2')]);
    disk.isFull = true;
    await poll('lt-1', 1);
    await poll('lt-1', 2);
    await poll('lt-2', 1);

    disk.isFull = false;
    await expect.poll(() => keeper.problem).toBeNull();

    expect(counted(await stored('lt-1'))).toBe(1);
    expect(counted(await stored('lt-2'))).toBe(0);
    expect(lines.at(-1)).toBe('records are stored again');
  });

  test('gets everything once more at the end; what it refuses is logged by name', async () => {
    const { keeper, disk, lines, poll, stored } = setUp({ retry: never });
    await keeper.restore([targetOf('lt-1'), targetOf('lt-2')]);
    disk.isFull = true;
    await poll('lt-1', 1);
    await poll('lt-2', 1);
    disk.isFull = false;
    disk.tooLarge.add('lt-2');

    await keeper.flush();
    const lost = keeper.reportLost();

    expect(await stored('lt-1')).toBeDefined();
    expect(lost.map(({ target }) => targetKey(target))).toEqual([targetKey(targetOf('lt-2'))]);
    expect(lines.at(-1)).toBe('records were not stored before the end');
  });

  test('gets the end of a retry that is under way before a flush ends', async () => {
    const { keeper, disk, lines, poll, stored, leave } = setUp();
    await leave(withOneChange(targetOf('lt-1')));
    disk.isUnreadable = true;
    await keeper.restore([targetOf('lt-1')]);
    await poll('lt-1', 3);
    const { held, release } = hold();
    Object.assign(disk, { held, isUnreadable: false });
    await expect.poll(() => disk.loads).toBe(2);

    const flushing = keeper.flush();
    release();
    await flushing;

    expect(counted(await stored('lt-1'))).toBe(2);
    expect(keeper.reportLost()).toEqual([]);
    expect(lines.at(-1)).toBe('stored records were read');
  });

  test('for some records only is asked for no more than those and one more at a time', async () => {
    const ids = Array.from({ length: 60 }, (_, i) => `lt-${i}`);
    const { keeper, disk, poll } = setUp({ retry: never });
    await keeper.restore(ids.map(targetOf));
    for (const id of ids.slice(0, 12)) disk.tooLarge.add(id);

    for (let cycle = 0; cycle < 5; cycle += 1) {
      await Promise.all(ids.map((id) => poll(id, 1 + (cycle % 2))));
    }

    expect(disk.saves).toBe(5 * 60);
    expect(keeper.failures).toBe(5 * 12);
  });

  test('is retried with one record while that fails', async () => {
    const ids = Array.from({ length: 60 }, (_, i) => `lt-${i}`);
    const { keeper, disk, poll } = setUp();
    await keeper.restore(ids.map(targetOf));
    for (const id of ids) disk.tooLarge.add(id);
    await Promise.all(ids.map((id) => poll(id, 1)));

    await expect.poll(() => disk.saves).toBeGreaterThanOrEqual(63);

    expect(disk.saves).toBeLessThan(2 * 60);
    await keeper.flush();
  });

  test('loses nothing of a target that a reload removes and another one adds again', async () => {
    const { keeper, disk, poll, shown, leave } = setUp({ retry: never });
    await leave(polled(newRecord(targetOf('lt-1')), 1).record);
    await keeper.restore([targetOf('lt-1')]);
    disk.isFull = true;
    await poll('lt-1', 2);

    await keeper.restore([]);
    await keeper.restore([targetOf('lt-1')]);

    expect(counted(shown('lt-1'))).toBe(1);
  });
});

describe('a restore', () => {
  test('reads no record of a target that is known', async () => {
    const { keeper, disk, poll, shown } = setUp();
    await keeper.restore([targetOf('lt-1')]);
    await poll('lt-1', 1);
    await poll('lt-1', 2);

    await keeper.restore([targetOf('lt-1')]);

    expect(disk.loads).toBe(1);
    expect(keeper.damagedFiles).toBe(0);
    expect(counted(shown('lt-1'))).toBe(1);
  });

  test('does not undo a poll that ends meanwhile', async () => {
    const { keeper, poll, shown } = setUp();
    await keeper.restore([targetOf('lt-1')]);
    await poll('lt-1', 1);

    await Promise.all([keeper.restore([targetOf('lt-1'), targetOf('lt-2')]), poll('lt-1', 2)]);

    expect(counted(shown('lt-1'))).toBe(1);
  });
});

describe('a stored record that cannot be read', () => {
  test('is not written over; its target shows gauges, and no counter and no change', async () => {
    const { keeper, disk, lines, poll, published, shown, stored, leave } = setUp({ retry: never });
    await leave(withOneChange(targetOf('lt-1')));
    disk.isUnreadable = true;
    await keeper.restore([targetOf('lt-1')]);

    const changes = [...(await poll('lt-1', 1)), ...(await poll('lt-1', 3))];

    expect(changes).toEqual([]);
    expect(published.changes()).toEqual([]);
    expect(shown('lt-1').seen.snapshot).not.toBeNull();
    expect(published.showsCounters(shown('lt-1'))).toBe(false);
    expect(await stored('lt-1')).toEqual(withOneChange(targetOf('lt-1')));
    expect(disk.saves).toBe(0);
    expect(keeper.problem).toContain('1 stored records cannot be read: EIO');
    expect(keeper.failures).toBe(2);
    expect(lines).toHaveLength(1);
  });

  test('is continued once it was read: what happened since is counted once', async () => {
    const { keeper, disk, lateChanges, poll, published, shown, stored, leave } = setUp();
    await leave(withOneChange(targetOf('lt-1')));
    disk.isUnreadable = true;
    await keeper.restore([targetOf('lt-1')]);
    await poll('lt-1', 3);

    disk.isUnreadable = false;
    await expect.poll(() => published.showsCounters(shown('lt-1'))).toBe(true);
    const changes = await poll('lt-1', 3);

    expect(counted(shown('lt-1'))).toBe(2);
    expect(counted(await stored('lt-1'))).toBe(2);
    expect(lateChanges.map(({ from, to }) => [from, to])).toEqual([[2, 3]]);
    expect(published.changes().map(({ from, to }) => [from, to])).toEqual([
      [1, 2],
      [2, 3],
    ]);
    expect(changes).toEqual([]);
    expect(keeper.problem).toBeNull();
  });

  test('is continued as it is where its target was not polled meanwhile', async () => {
    const { keeper, disk, poll, shown, published, leave } = setUp();
    await leave(withOneChange(targetOf('lt-1')));
    disk.isUnreadable = true;
    await keeper.restore([targetOf('lt-1')]);

    disk.isUnreadable = false;
    await expect.poll(() => keeper.problem === null && counted(shown('lt-1')) === 1).toBe(true);

    expect(published.showsCounters(shown('lt-1'))).toBe(false);
    await poll('lt-1', 2);
    expect(counted(shown('lt-1'))).toBe(1);
    expect(published.showsCounters(shown('lt-1'))).toBe(true);
  });
});

function hold() {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  return {
    held,
    release: () => {
      release();
    },
  };
}

describe('a reload while unread records are read again', () => {
  test('may add a target whose record cannot be read: it waits for its own record', async () => {
    const { keeper, disk, leave, shown, stored } = setUp();
    await leave(withOneChange(targetOf('lt-2')));
    const { held, release } = hold();
    disk.isUnreadable = true;
    await keeper.restore([targetOf('lt-1')]);
    Object.assign(disk, { held, isUnreadable: false });
    await expect.poll(() => disk.loads).toBe(2);

    disk.isUnreadable = true;
    await keeper.restore([targetOf('lt-1'), targetOf('lt-2')]);
    release();
    await setImmediate();

    expect(keeper.problem).toBe('1 stored records cannot be read: EIO');
    disk.isUnreadable = false;
    await expect.poll(() => keeper.problem).toBeNull();
    expect(counted(await stored('lt-2'))).toBe(1);
    await expect.poll(() => counted(shown('lt-2'))).toBe(1);
  });

  test('may remove the last of them: no problem remains', async () => {
    const { keeper, disk } = setUp();
    const { held, release } = hold();
    disk.isUnreadable = true;
    await keeper.restore([targetOf('lt-1')]);
    disk.held = held;
    await expect.poll(() => disk.loads).toBe(2);

    await keeper.restore([]);
    release();
    await setImmediate();

    expect(keeper.problem).toBeNull();
  });
});

describe('a record that appears in the place of one that was begun without it', () => {
  test('is continued, with counters from 0 as they were shown', async () => {
    const { keeper, disk, lateChanges, poll, stored } = setUp({ freshnessPeriodMs: 5 });
    await keeper.restore([targetOf('lt-1')]);
    await poll('lt-1', 3);
    disk.appearing = withOneChange(targetOf('lt-1'));
    await poll('lt-1', 3);

    keeper.start();
    await expect.poll(() => lateChanges.length).toBeGreaterThan(0);
    await keeper.flush();

    expect(lateChanges.map(({ from, to }) => [from, to])).toEqual([[2, 3]]);
    expect(counted(await stored('lt-1'))).toBe(1);
  });

  test('gives way to one that has counted changes itself', async () => {
    const { keeper, disk, poll, shown, stored } = setUp();
    await keeper.restore([targetOf('lt-1')]);
    for (const version of [1, 2]) await poll('lt-1', version);
    disk.appearing = withOneChange(targetOf('lt-1'));

    await poll('lt-1', 3);

    expect(disk.appearing).toBeNull();
    expect(counted(shown('lt-1'))).toBe(2);
    expect(counted(await stored('lt-1'))).toBe(2);
  });
});
