import { expect, test, vi } from 'vitest';
import { Remembered } from '../../../src/model/remembered.ts';

test('a value is made once for an object, until something that it depends on changes', () => {
  const remembered = new Remembered<number>();
  const [object, other] = [{}, {}];
  let made = 0;
  const make = vi.fn(() => (made += 1));

  const values = [
    remembered.of(object, [1, 'a'], make),
    remembered.of(object, [1, 'a'], make),
    remembered.of(object, [1, 'b'], make),
    remembered.of(object, [1], make),
    remembered.of(object, [1, 'b'], make),
    remembered.of(other, [1, 'b'], make),
    remembered.of(object, [1, 'b'], make),
  ];

  expect(values).toEqual([1, 1, 2, 3, 4, 5, 4]);
  expect(make).toHaveBeenCalledTimes(5);
});
