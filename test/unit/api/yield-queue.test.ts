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

test('a caller goes on when the one before has ended or waits', async () => {
  const queue = new YieldQueue(() => 0);
  const seen: string[] = [];
  const steps = async (name: string) => {
    await queue.nextTurn();
    for (const step of [1, 2, 3]) {
      seen.push(`${name}${step}`);
      await Promise.resolve();
    }
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`${name}4`);
  };

  await Promise.all(['a', 'b', 'c'].map(steps));

  const numbered = (name: string) => [1, 2, 3].map((step) => `${name}${step}`);
  expect(seen).toEqual([...['a', 'b', 'c'].flatMap(numbered), 'a4', 'b4', 'c4']);
});

test.each([
  ['short', 0.1, ['a', 'b', 'c', 'd', 'loop', 'loop']],
  ['of 0.5 ms', 0.5, ['a', 'loop', 'b', 'loop', 'c', 'loop', 'd', 'loop']],
])('the loop gets a turn after 0.5 ms of callers that are %s', async (_, durationMs, expected) => {
  let nowMs = 0;
  const queue = new YieldQueue(() => nowMs);
  const seen: string[] = [];
  const callers = ['a', 'b', 'c', 'd'].map(async (name) => {
    await queue.nextTurn();
    seen.push(name);
    nowMs += durationMs;
  });
  const turnOfLoop = () => {
    seen.push('loop');
    if (seen.length < expected.length) setImmediate(turnOfLoop);
  };
  setImmediate(turnOfLoop);

  await Promise.all(callers);
  await expect.poll(() => seen).toEqual(expected);
});

test('a caller that comes later starts a new stretch', async () => {
  const queue = new YieldQueue();
  for (let i = 0; i < 3; i += 1) {
    await queue.nextTurn();
    await new Promise((resolve) => setImmediate(resolve));
  }
});
