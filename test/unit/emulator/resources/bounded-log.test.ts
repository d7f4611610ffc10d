import { expect, test } from 'vitest';
import { BoundedLog } from '../../../../src/emulator/resources/bounded-log.ts';

test('a log keeps the latest entries in order, and counts all of them', () => {
  const log = new BoundedLog<number>(3);

  const kept = [1, 2, 3, 4, 5].map((entry) => {
    log.add(entry);
    return [...log];
  });

  expect(kept).toEqual([[1], [1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]);
  expect(log.total).toBe(5);
});

test('a log that was cleared starts again', () => {
  const log = new BoundedLog<number>(2);
  [1, 2, 3].forEach((entry) => {
    log.add(entry);
  });

  log.clear();
  log.add(4);

  expect([log.list(), log.total]).toEqual([[4], 1]);
});
