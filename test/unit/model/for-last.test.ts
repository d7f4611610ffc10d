import { expect, it, vi } from 'vitest';
import { forLast } from '../../../src/model/for-last.ts';

it('a result is computed again only for other arguments', () => {
  const joined = vi.fn((a: string | undefined, b: number) => `${a}${b}`);
  const remembered = forLast(joined);
  const asked: [string | undefined, number][] = [
    [undefined, 1],
    [undefined, 1],
    ['a', 1],
    ['a', 2],
    ['a', 2],
    ['a', 1],
  ];

  const results = asked.map((each) => remembered(...each));

  expect(results).toEqual(['undefined1', 'undefined1', 'a1', 'a2', 'a2', 'a1']);
  expect(joined.mock.calls).toEqual([asked[0], asked[2], asked[3], asked[5]]);
});
