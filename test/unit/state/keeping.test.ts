/** What a record keeper leaves alone, and when it ends. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { targetKey } from '../../../src/model/target.ts';
import type { Store } from '../../../src/state/store.ts';
import { templateTarget } from '../../helpers/fake-monitor.ts';
import { createMemoryStore } from '../../helpers/memory-store.ts';
import { polledKeeper, withOneChange } from '../../helpers/polled-keeper.ts';
import { quotaRecord } from '../../helpers/records.ts';

const targets = ['lt-1', 'lt-2', 'lt-3', 'lt-4', 'lt-5'].map((id) =>
  templateTarget('a', 'ap-x', id),
);
const target = targets[0]!;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp({ freshnessPeriodMs = 1_000_000 } = {}) {
  const memory = createMemoryStore();
  const disk = { isFull: false, isGone: false, saves: [] as string[], loads: 0 };
  const store: Store = {
    ...memory,
    load: (wanted) => {
      disk.loads += 1;
      if (disk.isGone) return Promise.reject(new Error('gone'));
      return memory.load(wanted);
    },
    save: (record) => {
      disk.saves.push(record.target.resource?.template_id ?? '');
      return disk.isFull ? Promise.reject(new Error('disk full')) : memory.save(record);
    },
  };
  const late: unknown[] = [];
  const world = polledKeeper(store, {
    freshnessPeriodMs,
    onLate: (taken) => late.push(taken),
    retry: { minMs: 10, maxMs: 1_000_000 },
  });
  return { ...world, disk, late, memory };
}

test('a step without a result stores and shows nothing', async () => {
  const { disk, keeper, published, shown } = setUp();
  await keeper.restore([target]);
  const before = shown(target);
  const { revision } = published;

  expect(await keeper.keep(target, () => null)).toBeNull();

  expect(disk.saves).toEqual([]);
  expect(shown(target)).toBe(before);
  expect(published.revision).toBe(revision);
});

test('a retry stores every failed record, reads none, and shows none again', async () => {
  const { disk, keeper, late, poll, published } = setUp();
  await keeper.restore(targets);
  disk.isFull = true;
  for (const each of targets) await poll(each, 1);
  const { revision } = published;
  disk.isFull = false;
  disk.saves = [];

  await vi.advanceTimersByTimeAsync(10);

  expect(disk.saves).toEqual(['lt-1', 'lt-2', 'lt-3', 'lt-4', 'lt-5']);
  expect(keeper.problem).toBeNull();
  expect([disk.loads, late.length, published.revision]).toEqual([1, 0, revision]);
});

test('a later failure is retried as soon as the first one was', async () => {
  const { disk, keeper, poll } = setUp();
  await keeper.restore([target]);
  for (const version of [1, 2]) {
    disk.isFull = true;
    await poll(target, version);
    disk.isFull = false;
    await vi.advanceTimersByTimeAsync(10);
    expect(keeper.problem).toBeNull();
    await vi.advanceTimersByTimeAsync(10_000);
  }
});

test('a storage that cannot even be asked is asked again', async () => {
  const { disk, keeper, memory, published, shown } = setUp();
  await memory.save(withOneChange(target));
  const unread = [{ target, reason: 'EIO' }];
  const load = vi.spyOn(memory, 'load');
  load.mockResolvedValueOnce({ records: [], damaged: [], unread });
  await keeper.restore([target]);
  disk.isGone = true;
  await vi.advanceTimersByTimeAsync(10);
  expect(published.isProvisional(targetKey(target))).toBe(true);
  disk.isGone = false;

  await vi.advanceTimersByTimeAsync(20);

  expect(published.isProvisional(targetKey(target))).toBe(false);
  expect(shown(target)).toMatchObject({ defaultVersionChanges: 1 });
});

test('a stop tries no more records than side by side when the storage fails', async () => {
  const { disk, keeper, poll } = setUp();
  await keeper.restore(targets);
  for (const each of [...targets, ...targets]) await poll(each, 1);
  disk.isFull = true;
  disk.saves = [];

  await keeper.flush();

  expect(disk.saves).toEqual(['lt-1', 'lt-2']);
});

test('nothing is retried after a stop', async () => {
  const { disk, keeper, poll } = setUp();
  await keeper.restore([target]);
  disk.isFull = true;
  await poll(target, 1);
  await keeper.flush();
  disk.saves = [];

  await vi.advanceTimersByTimeAsync(10_000);

  expect(disk.saves).toEqual([]);
});

test('the freshness of a target is stored also when a reload removed the one before it', async () => {
  vi.useRealTimers();
  const { disk, keeper, poll } = setUp({ freshnessPeriodMs: 100 });
  const [first, second] = [targets[0]!, targets[1]!];
  await keeper.restore([first, second]);
  for (const each of [first, second, first, second]) await poll(each, 1);
  disk.saves = [];

  keeper.start();
  await keeper.restore([second]);
  await expect.poll(() => disk.saves).toEqual(['lt-2']);
  await keeper.flush();
  await poll(second, 1);
  await new Promise((resolve) => setTimeout(resolve, 150));

  expect(disk.saves).toEqual(['lt-2']);
});

test('a record that is stored during a reload has the selection of the reload', async () => {
  const { keeper, published } = polledKeeper(createMemoryStore());
  const record = quotaRecord('ap-guangzhou');
  const shown = () => published.get(targetKey(record.target));
  const changed = { ...record.target, selection: { quotaTypes: ['image'], zones: null } };
  await keeper.restore([record.target]);
  const before = shown()!;
  await keeper.keep(before.target, () => ({ record: { ...before, appId: 1 }, changes: [] }));
  const kept = { ...before, snapshot: record.seen.snapshot };

  const taken = await keeper.keep(before.target, () => ({ record: kept, changes: [] }));
  expect(shown()).toBe(taken?.record);

  const counted = { ...kept, appId: 2 };
  const storing = keeper.keep(before.target, () => ({ record: counted, changes: [] }));
  await keeper.restore([changed]);
  expect(shown()).toMatchObject({ target: changed, appId: null });
  await storing;
  expect(shown()).toMatchObject({ target: changed, appId: 2, snapshot: { quotas: [] } });
});
