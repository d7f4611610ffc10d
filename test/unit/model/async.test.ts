import { getEventListeners } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { createPacer, KeyedQueue, createYielder, unlessAborted } from '../../../src/model/async.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A piece of work that ends when a test says so. */
function held(log: string[], name: string) {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => {
      if (error === undefined) resolve();
      else reject(error);
    };
  });
  const work = async () => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
  };
  return { end, work };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('work of one key runs in turn, also after a failure; that of another key side by side', async () => {
  const queue = new KeyedQueue();
  const log: string[] = [];
  const [a1, a2, a3, b] = ['a1', 'a2', 'a3', 'b'].map((name) => held(log, name));

  const failing = queue.run('a', a1!.work);
  const next = queue.run('a', a2!.work);
  void queue.run('b', b!.work);
  expect(log).toEqual(['a1 begins', 'b begins']);

  a1!.end(new Error('full'));
  await expect(failing).rejects.toThrow('full');
  await settle();
  expect(log.at(-1)).toBe('a2 begins');

  void queue.run('a', a3!.work);
  await settle();
  expect(log.at(-1)).toBe('a2 begins');

  const idle = queue.idle().then(() => log.push('idle'));
  a2!.end();
  a3!.end();
  b!.end();
  await Promise.all([next, idle]);
  expect(log.slice(-2)).toEqual(['a3 ends', 'idle']);
  void queue.run('a', held(log, 'a4').work);
  expect(log.at(-1)).toBe('a4 begins');
});

test('long work pauses for a turn of the event loop, once in 5 ms', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const pause = createYielder();
  vi.advanceTimersByTime(4);
  expect(pause()).toBeUndefined();

  vi.advanceTimersByTime(1);
  const turn = pause();

  expect(turn).toBeInstanceOf(Promise);
  await turn;
  expect(pause()).toBeUndefined();
});

test('callers go on one after another, and the event loop turns after long work', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const nextTurn = createPacer();
  const log: string[] = [];
  setImmediate(() => log.push('a turn'));

  const work = async (name: string) => {
    await nextTurn();
    log.push(name);
    vi.advanceTimersByTime(5);
  };
  await Promise.all([work('first'), work('second')]);

  expect(log).toEqual(['first', 'a turn', 'second']);
});

const never = new Promise<string>(() => undefined);

test.each([
  ['succeeds', () => Promise.resolve('done')],
  ['fails', () => Promise.reject(new Error('failed'))],
])('work that %s gives its result, and leaves nothing at the signal', async (_what, begin) => {
  const { signal } = new AbortController();
  const work = begin();

  const results = await Promise.allSettled([unlessAborted(work, signal), work]);

  expect(results[0]).toEqual(results[1]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each([
  ['that aborts', () => undefined],
  [
    'that has aborted',
    (stopping: AbortController) => {
      stopping.abort(new Error('stop'));
    },
  ],
])('work that does not end rejects with the reason of a signal %s', async (_what, before) => {
  const stopping = new AbortController();
  before(stopping);

  const result = unlessAborted(never, stopping.signal);
  stopping.abort(new Error('stop'));

  await expect(result).rejects.toThrow('stop');
});

test('a reason that is no error becomes one', async () => {
  await expect(unlessAborted(never, AbortSignal.abort('any reason'))).rejects.toThrow('aborted');
});
