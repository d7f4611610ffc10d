import { expect, it } from 'vitest';
import { shareRuns, ConcurrencyLimit, KeyedQueue } from '../../../src/state/concurrency.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

it('lets so many run side by side, and the others in the order they came', async () => {
  const limit = new ConcurrencyLimit(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (n: number) => () => {
    begun.push(n);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const all = [1, 2, 3, 4].map((n) => limit.run(work(n)));

  const atFirst = [...begun];
  ends.shift()?.();
  await settle();
  const afterOne = [...begun];
  while (ends.length > 0) {
    ends.shift()?.();
    await settle();
  }
  await Promise.all(all);

  expect([atFirst, afterOne, begun]).toEqual([
    [1, 2],
    [1, 2, 3],
    [1, 2, 3, 4],
  ]);
});

it('passes the turn of what failed on', async () => {
  const limit = new ConcurrencyLimit(1);

  const failed = limit.run(() => Promise.reject(new Error('as told by the test')));
  const next = limit.run(() => Promise.resolve('done'));

  await expect(failed).rejects.toThrow();
  expect(await next).toBe('done');
});

it('shares a run among those who ask while another one is under way, also after a failure', async () => {
  let runs = 0;
  const shared = shareRuns(async () => {
    runs += 1;
    await settle();
    if (runs === 1) throw new Error('as told by the test');
  });

  const first = shared();
  await Promise.resolve();
  const others = [shared(), shared(), shared()];

  await expect(first).rejects.toThrow();
  await Promise.all(others);
  expect(runs).toBe(2);
});

it('has all its places again after all work has ended', async () => {
  const limit = new ConcurrencyLimit(2);
  await Promise.all([1, 2, 3].map(() => limit.run(settle)));

  let running = 0;
  const most: number[] = [];
  const work = async () => {
    running += 1;
    most.push(running);
    await settle();
    running -= 1;
  };
  await Promise.all([1, 2, 3, 4].map(() => limit.run(work)));

  expect(Math.max(...most)).toBe(2);
});

it('runs the work of one key in turn, also work that comes when some has ended', async () => {
  const queue = new KeyedQueue();
  const events: string[] = [];
  const work = (name: string) => async () => {
    events.push(`${name} begins`);
    await settle();
    events.push(`${name} ends`);
  };
  const first = queue.run('key', work('first'));
  const second = queue.run('key', work('second'));
  await first;
  await Promise.resolve();
  const third = queue.run('key', work('third'));
  await Promise.all([second, third]);

  expect(events).toEqual(
    ['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
});
