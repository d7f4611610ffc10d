import { afterEach, expect, test, vi } from 'vitest';
import { createPacer, createYielder } from '../../../src/model/async.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('long work yields to the event loop once in 5 ms', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const yieldIfDue = createYielder();
  vi.advanceTimersByTime(4);
  expect(yieldIfDue()).toBeUndefined();

  vi.advanceTimersByTime(1);
  const turn = yieldIfDue();

  expect(turn).toBeInstanceOf(Promise);
  await turn;
  expect(yieldIfDue()).toBeUndefined();
});

test('callers go on one after another, and the event loop turns after long work', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const pace = createPacer();
  const log: string[] = [];
  setImmediate(() => log.push('a turn'));

  const work = async (name: string) => {
    await pace();
    log.push(name);
    vi.advanceTimersByTime(5);
  };
  await Promise.all([work('first'), work('second')]);

  expect(log).toEqual(['first', 'a turn', 'second']);
});
