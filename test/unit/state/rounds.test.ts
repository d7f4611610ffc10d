import { expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { Rounds } from '../../../src/state/rounds.ts';

it('looks for keys again after a period without any', async () => {
  const visits: string[] = [];
  const askedAtMs: number[] = [];
  const rounds = new Rounds({
    visit: (key) => Promise.resolve(void visits.push(key)),
    keys: () => {
      askedAtMs.push(performance.now());
      return askedAtMs.length === 1 ? [] : ['a'];
    },
    periodMs: 30,
  });

  rounds.start();
  await expect.poll(() => visits.length).toBeGreaterThan(0);
  await rounds.stop();

  const [first = 0, second = 0] = askedAtMs;
  // Timers may end a little early.
  expect(second - first).toBeGreaterThan(25);
});

it('ends with the visit under way, and begins no other', async () => {
  const visits: string[] = [];
  let finish: () => void = () => undefined;
  const rounds = new Rounds({
    visit: (key) => {
      visits.push(key);
      return new Promise((resolve) => (finish = resolve));
    },
    keys: () => ['a', 'b'],
    periodMs: 2,
  });
  rounds.start();
  rounds.start();
  await expect.poll(() => visits).toEqual(['a']);

  let isStopped = false;
  const stopping = rounds.stop().then(() => (isStopped = true));
  await delay(10);
  expect(isStopped).toBe(false);
  finish();
  await stopping;
  await delay(10);

  expect(visits).toEqual(['a']);
});
