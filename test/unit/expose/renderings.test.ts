import { expect, test } from 'vitest';
import { Renderings } from '../../../src/expose/renderings.ts';

test('an answer is never older than the interval, also when a rendering takes longer', async () => {
  let nowMs = 0;
  let begun = 0;
  const ends: (() => void)[] = [];
  const renderings = new Renderings<number>(1_000, 1, () => nowMs);
  const render = () => {
    const number = (begun += 1);
    return new Promise<number>((resolve) => {
      ends.push(() => {
        resolve(number);
      });
    });
  };
  const flush = () => new Promise(setImmediate);

  const first = renderings.get('', render);
  await flush();
  nowMs = 999;
  const recent = renderings.get('', render);
  nowMs = 1_000;
  const [late, alsoLate] = [renderings.get('', render), renderings.get('', render)];
  ends[0]!();
  await flush();
  ends[1]!();

  expect(await Promise.all([first, recent, late, alsoLate])).toEqual([1, 1, 2, 2]);
  expect(begun).toBe(2);
});
