/** Polls of one target that meet a reload, or each other, while a record is stored. */
import { describe, expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { LaunchTemplateRecord } from '../../../src/collectors/launch-template/launch-template.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { targetKey } from '../../../src/model/target.ts';
import { PollLog } from '../../../src/poll/poll-log.ts';
import { pollTarget } from '../../../src/poll/poll-target.ts';
import { RecordKeeper } from '../../../src/state/record-keeper.ts';
import { FoundRecordError, type Store } from '../../../src/state/store.ts';
import { newRecord } from '../../helpers/advance.ts';
import { createMemoryStore } from '../../helpers/memory-store.ts';
import { answer, settle, target as targetOf } from '../../helpers/poller-world.ts';
import { silentLogger } from '../../helpers/silent-logger.ts';

const target = targetOf('lt-1');

/** A daemon with one target, whose default version is 1. */
async function setUp() {
  const memory = createMemoryStore();
  const disk = { saving: Promise.resolve(), isFull: false };
  const store: Store = {
    ...memory,
    async save(record) {
      await disk.saving;
      if (disk.isFull) throw new Error('disk full');
      await memory.save(record);
    },
  };
  const published = new PublishedRecords();
  const logged: unknown[] = [];
  const logger = {
    ...silentLogger,
    info: (message: string, { from, to }: { from?: unknown; to?: unknown } = {}) => {
      if (message === 'change') logged.push([from, to]);
    },
  };
  const clock = { now: () => 1_000 };
  const log = new PollLog(logger, clock);
  const keeper = new RecordKeeper({
    store,
    collectors,
    published,
    logger,
    onLate: (taken) => {
      log.changed(taken);
    },
    retry: { minMs: 1_000_000, maxMs: 1_000_000 },
  });
  const gone = { is: false };
  const poll = (version: number, isGone = () => false) =>
    pollTarget(
      target,
      { isGone, signal: new AbortController().signal, deadlineMs: Infinity, trendStepMs: 900_000 },
      {
        poll: () => Promise.resolve(answer(version)),
        keep: keeper.keep.bind(keeper),
        leavesOut: () => false,
        collectors,
        published,
        log,
        clock,
      },
    );
  await keeper.restore([target]);
  await poll(1);
  return {
    disk,
    keeper,
    logged,
    poll,
    /** Begins a poll whose target is gone, or has another selection, before its record is stored. */
    leaveDuringPoll: async (version: number) => {
      const polling = poll(version, () => gone.is);
      await settle();
      gone.is = true;
      return { polling };
    },
    /** Saves wait until they are let go. */
    holdSaves: () => {
      let letGo: (error?: Error) => void = () => undefined;
      const held = new Promise<void>((resolve, reject) => {
        letGo = (error) => {
          disk.saving = Promise.resolve();
          if (error === undefined) resolve();
          else reject(error);
        };
      });
      disk.saving = held;
      return (error?: Error) => {
        letGo(error);
      };
    },
    shown: () => published.get(targetKey(target)) as LaunchTemplateRecord,
    stored: async () => (await memory.load([target])).records[0] as LaunchTemplateRecord,
    feed: () => published.changes().map(({ from, to }) => [from, to]),
  };
}

describe('a change that is stored while a reload removes its target', () => {
  test('is logged and in the feed', async () => {
    const { feed, holdSaves, keeper, logged, leaveDuringPoll, stored } = await setUp();
    const letGo = holdSaves();
    const { polling } = await leaveDuringPoll(2);
    await keeper.restore([]);

    letGo();

    expect(await polling).toBeNull();
    expect(logged).toEqual([[1, 2]]);
    expect(feed()).toEqual([[1, 2]]);
    expect((await stored()).counted.defaultVersionChanges).toBe(1);
  });

  test.each([
    ['before it is stored', true],
    ['after it was stored', false],
  ])('and another one adds it again %s is counted, logged and fed once', async (_, isBefore) => {
    const { feed, holdSaves, keeper, logged, poll, leaveDuringPoll, shown } = await setUp();
    const letGo = holdSaves();
    const { polling } = await leaveDuringPoll(2);
    await keeper.restore([]);

    if (!isBefore) letGo();
    if (!isBefore) await polling;
    await keeper.restore([target]);
    const next = poll(2);
    letGo();
    await Promise.all([polling, next]);

    expect(shown().counted.defaultVersionChanges).toBe(1);
    expect(logged).toEqual([[1, 2]]);
    expect(feed()).toEqual([[1, 2]]);
  });

  test('and the store fails is counted, logged and fed once', async () => {
    const { disk, feed, holdSaves, keeper, logged, poll, leaveDuringPoll, shown } = await setUp();
    disk.isFull = true;
    const letGo = holdSaves();
    const { polling } = await leaveDuringPoll(2);
    await keeper.restore([]);
    letGo();
    await polling;

    await keeper.restore([target]);
    await poll(2);

    expect(shown().counted.defaultVersionChanges).toBe(1);
    expect(logged).toEqual([[1, 2]]);
    expect(feed()).toEqual([[1, 2]]);
  });
});

test('a change that is stored while its target gets another selection is counted, logged and fed once', async () => {
  const { feed, holdSaves, logged, poll, leaveDuringPoll, shown, stored } = await setUp();
  const letGo = holdSaves();
  const { polling } = await leaveDuringPoll(2);
  const next = poll(2);
  await settle();

  letGo();
  await Promise.all([polling, next]);

  expect(shown().counted.defaultVersionChanges).toBe(1);
  expect(logged).toEqual([[1, 2]]);
  expect(feed()).toEqual([[1, 2]]);
  expect(await stored()).toMatchObject({ defaultVersionChanges: 1 });
});

test('of two polls at once and a record that appears in the file, the newest record is stored', async () => {
  const { feed, holdSaves, logged, poll, shown, stored } = await setUp();
  const letGo = holdSaves();
  const older = poll(2);
  await settle();
  const newer = poll(3);
  await settle();

  letGo(new FoundRecordError('file', newRecord(target)));
  await Promise.all([older, newer]);

  expect(shown()).toMatchObject({ defaultVersionChanges: 2, lastDefaultVersion: 3 });
  expect(await stored()).toEqual(shown());
  expect(logged).toEqual([
    [1, 2],
    [2, 3],
  ]);
  expect(feed()).toEqual(logged);
});
