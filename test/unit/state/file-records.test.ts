import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { FileRecords } from '../../../src/state/file-records.ts';
import type { Store } from '../../../src/state/store.ts';
import { createMemoryStore } from '../../helpers/memory-store.ts';
import { quotaRecord, targetsOf } from '../../helpers/records.ts';
import { silentLogger } from '../../helpers/silent-logger.ts';

const record = quotaRecord('ap-guangzhou');
const gone = quotaRecord('ap-shanghai');
const dayMs = 24 * 60 * 60 * 1_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Records over a store in memory, which notes what it is asked to keep. */
function setUp({ save }: Partial<Pick<Store, 'save'>> = {}) {
  const memory = createMemoryStore();
  /** Whether `record` and `gone` are live, for each time that it was asked for. */
  const live: (readonly boolean[])[] = [];
  const noteLive = (isLive: Parameters<Store['keepOnly']>[0]) =>
    void live.push([record, gone].map(({ target }) => isLive(target)));
  const store: Store = {
    ...memory,
    ...(save && { save }),
    keepOnly: noteLive,
    removeGone: (isLive) => {
      noteLive(isLive);
      return Promise.resolve([]);
    },
  };
  const published = new PublishedRecords();
  const onLate = () => undefined;
  const records = new FileRecords({
    store,
    collectors,
    published,
    logger: silentLogger,
    onLate,
  });
  return { live, memory, published, records, store };
}

it('only the records of configured targets are live, when the gone ones are removed and forgotten', async () => {
  const { live, records } = setUp();
  await records.restore(targetsOf(record));

  records.forgetGone();
  expect(live).toEqual([[true, false]]);
  records.start();
  await vi.advanceTimersByTimeAsync(dayMs);
  expect(live).toEqual(Array.from({ length: 3 }, () => [true, false]));

  await records.close();
  await vi.advanceTimersByTimeAsync(dayMs);
  expect(live).toHaveLength(3);
});

it('what was kept is published and stored, and the store is closed at the end', async () => {
  const { memory, published, records } = setUp();
  const applied = vi.fn();
  await records.restore(targetsOf(record), applied);

  const taken = await records.keep(record.target, () => ({ record, changes: [] }));

  expect(applied).toHaveBeenCalledOnce();
  expect(taken?.record).toBe(record);
  expect(published.all()).toEqual([record]);
  expect((await memory.load(targetsOf(record))).records).toEqual([record]);
  await records.close();
  expect(records.reportLost()).toEqual([]);
  await expect(memory.load([])).rejects.toMatchObject({ code: 'closed' });
});

it('what the store does not take is counted, explained and reported as lost', async () => {
  const { records } = setUp({ save: () => Promise.reject(new Error('disk full')) });
  await records.restore(targetsOf(record));
  expect([records.failures, records.problem, records.damaged]).toEqual([0, null, 0]);

  await records.keep(record.target, () => ({ record, changes: [] }));

  expect(records.failures).toBe(1);
  expect(records.problem).toContain('disk full');
  await records.close();
  expect(records.reportLost()).toEqual([record]);
});

it('gauges are stored at the end', async () => {
  const { records, store } = setUp();
  await records.restore(targetsOf(record));
  await records.keep(record.target, () => ({ record, changes: [] }));
  const freshness = { ...record.seen.freshness, lastPoll: { atMs: 1, durationMs: 1 } };
  await records.keep(record.target, () => ({ record: { ...record, freshness }, changes: [] }));
  const save = vi.spyOn(store, 'save');

  await records.close();

  expect(save.mock.calls.map(([{ freshness: stored }]) => stored)).toEqual([freshness]);
});
