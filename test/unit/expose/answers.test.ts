import { expect, test } from 'vitest';
import { createRenderer } from '../../../src/expose/answers.ts';

test('an answer is never older than the interval, also when a rendering takes longer', async () => {
  let nowMs = 0;
  let begun = 0;
  const ends: (() => void)[] = [];
  const rendered = createRenderer<number>(1_000, 1, () => nowMs);
  const render = () => {
    const number = (begun += 1);
    return new Promise<number>((resolve) => {
      ends.push(() => {
        resolve(number);
      });
    });
  };
  const flush = () => new Promise(setImmediate);

  const first = rendered('', render);
  await flush();
  nowMs = 999;
  const recent = rendered('', render);
  nowMs = 1_000;
  const [late, alsoLate] = [rendered('', render), rendered('', render)];
  ends[0]!();
  await flush();
  ends[1]!();

  expect(await Promise.all([first, recent, late, alsoLate])).toEqual([1, 1, 2, 2]);
  expect(begun).toBe(2);
});
