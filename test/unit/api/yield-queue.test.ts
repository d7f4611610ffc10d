import { expect, test } from 'vitest';
import { YieldQueue } from '../../../src/api/yield-queue.ts';

test('an idle turn comes after the turns of all others, also of those that ask later', async () => {
  const queue = new YieldQueue();
  const seen: string[] = [];
  const note = (name: string) => () => seen.push(name);

  const idle = [queue.idleTurn().then(note('idle 1')), queue.idleTurn().then(note('idle 2'))];
  await queue.nextTurn().then(note('turn 1'));
  await queue.nextTurn().then(note('turn 2'));
  await Promise.all(idle);

  expect(seen).toEqual(['turn 1', 'turn 2', 'idle 1', 'idle 2']);
});
