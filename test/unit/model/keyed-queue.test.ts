import { expect, test } from 'vitest';
import { KeyedQueue } from '../../../src/model/async.ts';

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
