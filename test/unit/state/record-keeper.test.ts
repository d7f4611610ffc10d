import { templateTarget } from '../../helpers/fake-monitor.ts';
import { expect, test } from 'vitest';
import { newRecord } from '../../helpers/advance.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { RecordKeeper } from '../../../src/state/record-keeper.ts';
import { createMemoryStore } from '../../../src/state/memory-store.ts';
import type { Store } from '../../../src/state/store.ts';

const recordOf = (templateId: string, polls: number): TargetRecord => {
  const record = newRecord(templateTarget('a', 'ap-x', templateId));
  return { ...record, freshness: { ...record.freshness, polls } };
};

function setUp() {
  const memory = createMemoryStore();
  const disk = { isFull: false };
  const store: Store = {
    ...memory,
    save: (record) => (disk.isFull ? Promise.reject(new Error('disk full')) : memory.save(record)),
  };
  const lines: string[] = [];
  const write = (message: string) => void lines.push(message);
  const keeper = new RecordKeeper(store, { info: write, error: write });
  const stored = async () =>
    Object.fromEntries(
      (await memory.load()).records.map(({ target, freshness }) => [
        'templateId' in target ? target.templateId : '',
        freshness.polls,
      ]),
    );
  return { keeper, disk, lines, stored };
}

test('a store that fails is logged once, counted, and never rejects', async () => {
  const { keeper, disk, lines } = setUp();
  disk.isFull = true;

  await keeper.keep(recordOf('lt-1', 1));
  await keeper.keep(recordOf('lt-1', 2));

  expect(keeper.failures).toBe(2);
  expect(keeper.problem).toBe('disk full');
  expect(lines).toEqual(['records cannot be stored; polling goes on']);
});

test('what could not be stored is stored with the next record, in its newest form', async () => {
  const { keeper, disk, lines, stored } = setUp();
  disk.isFull = true;
  await keeper.keep(recordOf('lt-1', 1));
  await keeper.keep(recordOf('lt-1', 2));
  disk.isFull = false;

  await keeper.keep(recordOf('lt-2', 1));

  expect(await stored()).toEqual({ 'lt-1': 2, 'lt-2': 1 });
  expect(keeper.problem).toBeNull();
  expect(lines.at(-1)).toBe('records are stored again');
});

test('what could not be stored is tried again at the end', async () => {
  const { keeper, disk, stored } = setUp();
  disk.isFull = true;
  await keeper.keep(recordOf('lt-1', 1));
  disk.isFull = false;

  await keeper.flush();

  expect(await stored()).toEqual({ 'lt-1': 1 });
});

test('a problem lasts as long as one record cannot be stored', async () => {
  const { keeper, disk } = setUp();
  disk.isFull = true;
  await keeper.keep(recordOf('lt-1', 1));

  await keeper.flush();

  expect(keeper.problem).toBe('disk full');
});
