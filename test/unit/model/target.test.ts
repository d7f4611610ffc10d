import { expect, it } from 'vitest';
import { areInSameHour, hourMs, targetKey, type Target } from '../../../src/model/target.ts';

const target: Target = { account: 'a', region: 'b', operation: 'c' };

it('targetKey is a file name of account, region, operation and resource', () => {
  expect(targetKey(target)).toBe('a@b@c');
  expect(targetKey({ ...target, resource: { template_id: 'lt-1' } })).toBe('a@b@c@lt-1');
});

it('targetKey distinguishes targets whose names begin or end alike', () => {
  expect(targetKey({ ...target, account: 'ab', region: 'c' })).not.toBe(
    targetKey({ ...target, account: 'a', region: 'bc' }),
  );
});

const minutes = Array.from({ length: 60 }, (_, i) => i * 60_000);

it('an hour of a target ends once an hour, whenever it begins', () => {
  for (const account of ['a', 'b', 'c']) {
    const own = { ...target, account };
    const ends = minutes.filter((atMs) => !areInSameHour(own, atMs, atMs + 60_000));
    expect(ends).toHaveLength(1);
  }
});

it('the hours of targets begin at different minutes', () => {
  const targets = Array.from({ length: 600 }, (_, i) => ({ ...target, region: `ap-${i}` }));
  const ending = minutes.map(
    (atMs) => targets.filter((each) => !areInSameHour(each, atMs, atMs + 60_000)).length,
  );

  expect(Math.max(...ending)).toBeLessThan(30);
});

it('an hour of a target is another one after the clock was set back', () => {
  expect(areInSameHour(target, 10 * hourMs, 8 * hourMs)).toBe(false);
});
