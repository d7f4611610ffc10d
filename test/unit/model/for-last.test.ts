import { expect, it, vi } from 'vitest';
import { forLast } from '../../../src/model/for-last.ts';

it('a result is computed again only for another argument', () => {
  const lengthOf = vi.fn((text: string | undefined) => text?.length);
  const remembered = forLast(lengthOf);

  expect([undefined, undefined, 'a', 'a', 'ab', 'a'].map(remembered)).toEqual([
    undefined,
    undefined,
    1,
    1,
    2,
    1,
  ]);

  expect(lengthOf.mock.calls.flat()).toEqual([undefined, 'a', 'ab', 'a']);
});
