import { expect, it } from 'vitest';
import { areInSamePeriod, hourMs } from '../../../src/model/target.ts';

const minutes = Array.from({ length: 60 }, (_, i) => i * 60_000);

it('ends a period once an hour, whenever it begins', () => {
  for (const key of ['a', 'b', 'c']) {
    const ends = minutes.filter((atMs) => !areInSamePeriod(key, [atMs, atMs + 60_000], hourMs));
    expect(ends).toHaveLength(1);
  }
});

it('lets the periods of targets begin at different minutes', () => {
  const keys = Array.from({ length: 600 }, (_, i) => `production@ap-x@DescribeX@lt-${i}`);
  const ending = minutes.map(
    (atMs) => keys.filter((key) => !areInSamePeriod(key, [atMs, atMs + 60_000], hourMs)).length,
  );

  expect(Math.max(...ending)).toBeLessThan(30);
});

it('is another period after the clock was set back', () => {
  expect(areInSamePeriod('a', [10 * hourMs, 8 * hourMs], hourMs)).toBe(false);
});
