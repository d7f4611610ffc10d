/** What is stored when: what counts at once, gauges and freshness every few minutes and at the stop. */
import { expect, test } from 'vitest';
import { newRecord } from '../../helpers/advance.ts';
import { templateTarget } from '../../helpers/fake-monitor.ts';
import { createMemoryStore } from '../../helpers/memory-store.ts';
import { polled, polledKeeper } from '../../helpers/polled-keeper.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import type { Target } from '../../../src/model/target.ts';
import type { Store } from '../../../src/state/store.ts';

const targetOf = (templateId: string): Target => templateTarget('a', 'ap-x', templateId);
const target = targetOf('lt-1');

interface Options {
  readonly freshnessPeriodMs?: number;
  readonly isBroken?: () => boolean;
}

function setUp({ freshnessPeriodMs = 1_000_000, isBroken = () => false }: Options = {}) {
  const memory = createMemoryStore();
  const saves: { readonly id: string; readonly atMs: number }[] = [];
  const store: Store = {
    ...memory,
    save: (record) => {
      const id = record.target.resource?.template_id ?? '';
      if (isBroken()) return Promise.reject(new Error('disk full'));
      saves.push({ id, atMs: performance.now() });
      return memory.save(record);
    },
  };
  const lines: string[] = [];
  const line = (message: string) => void lines.push(message);
  const logger = { debug: () => undefined, info: line, warn: line, error: line };
  const world = polledKeeper(store, {
    logger,
    freshnessPeriodMs,
    retry: { minMs: 1_000_000, maxMs: 1_000_000 },
  });
  const stored = async (): Promise<TargetRecord | undefined> =>
    (await memory.load([target])).records[0];
  return { ...world, saves, lines, stored, leave: (record: TargetRecord) => memory.save(record) };
}

test('a baseline and a change are stored before they are shown, a quiet poll is not stored', async () => {
  const { keeper, poll, saves, shown, stored } = setUp();
  await keeper.restore([target]);

  await poll(target, 1);
  await poll(target, 1);
  await poll(target, 1);
  expect(saves).toHaveLength(1);
  expect(shown(target).seen.freshness.polls).toBe(3);

  await poll(target, 2);
  expect(saves).toHaveLength(2);
  expect(await stored()).toMatchObject({ defaultVersionChanges: 1 });
});

test('a record that was loaded is not stored again while it finds the same', async () => {
  const { keeper, leave, poll, saves } = setUp();
  await leave(polled(newRecord(target), 1).record);
  await keeper.restore([target]);

  await poll(target, 1);
  expect(saves).toEqual([]);

  await poll(target, 2);
  expect(saves).toHaveLength(1);
});

test('the freshness of every target is stored once in a period, spread over it', async () => {
  const targets = ['lt-1', 'lt-2', 'lt-3', 'lt-4'].map(targetOf);
  const { keeper, poll, saves } = setUp({ freshnessPeriodMs: 400 });
  await keeper.restore(targets);
  for (const each of targets) await poll(each, 1);
  saves.length = 0;
  for (const each of targets) await poll(each, 1);

  keeper.start();
  await expect.poll(() => saves.length).toBe(4);
  await keeper.flush();

  expect(saves.map(({ id }) => id)).toEqual(['lt-1', 'lt-2', 'lt-3', 'lt-4']);
  const pauses = saves.slice(1).map(({ atMs }, i) => atMs - (saves[i]?.atMs ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThan(50);
});

test('a stop stores the last freshness, and nothing twice', async () => {
  const { keeper, poll, saves, shown, stored } = setUp();
  await keeper.restore([target]);
  await poll(target, 1);
  await poll(target, 1);

  await keeper.flush();
  await keeper.flush();

  expect(saves).toHaveLength(2);
  expect(await stored()).toEqual(shown(target));
});

test('a target that was never polled is not stored at the stop', async () => {
  const { keeper, saves } = setUp();
  await keeper.restore([target]);

  await keeper.flush();

  expect(saves).toEqual([]);
});

test('freshness that cannot be stored at the stop is no lost record', async () => {
  let isBroken = false;
  const { keeper, lines, poll } = setUp({ isBroken: () => isBroken });
  await keeper.restore([target]);
  await poll(target, 1);
  await poll(target, 1);
  isBroken = true;

  await keeper.flush();

  expect(keeper.reportLost()).toEqual([]);
  expect(lines).toEqual([
    'records cannot be stored; polling goes on',
    'the last gauges were not stored before the end',
  ]);
});

test('a change that could not be stored is stored with the next poll, also a quiet one', async () => {
  let isBroken = false;
  const { keeper, poll, stored } = setUp({ isBroken: () => isBroken });
  await keeper.restore([target]);
  await poll(target, 1);
  isBroken = true;
  await poll(target, 2);
  isBroken = false;

  await poll(target, 2);

  expect(await stored()).toMatchObject({ defaultVersionChanges: 1 });
});
