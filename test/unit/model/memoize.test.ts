import { expect, test, vi } from 'vitest';
import { memoizeLast, memoizePerObject, ObjectMemo } from '../../../src/model/memoize.ts';

test('a value is made once for an object, until something that it depends on changes', () => {
  const remembered = new ObjectMemo<number>();
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

test('a function that remembers is called again for other arguments beside the same object', () => {
  const call = vi.fn(({ id }: { id: string }, more?: string) => `${id}${more}`);
  const known = memoizePerObject(call);
  const [a, b] = [{ id: 'a' }, { id: 'b' }];

  const results = [known(a), known(a), known(a, '1'), known(b, '1'), known(a, '1'), known(a)];

  expect(results).toEqual([...['aundefined', 'aundefined', 'a1', 'b1', 'a1', 'aundefined']]);
  expect(call.mock.calls).toEqual([[a], [a, '1'], [b, '1'], [a]]);
});

test('a function that remembers its last call is called again for other arguments', () => {
  const call = vi.fn((a: string, b?: string) => `${a}${b}`);
  const memoized = memoizeLast(call);

  const results = [memoized('a'), memoized('a'), memoized('a', '1'), memoized('a')];

  expect(results).toEqual(['aundefined', 'aundefined', 'a1', 'aundefined']);
  expect(call.mock.calls).toEqual([['a'], ['a', '1'], ['a']]);
});
