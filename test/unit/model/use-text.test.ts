import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { formatUse, maxPoints, readUse, useForm } from '../../../src/model/use-text.ts';

const points = fc.array(fc.option(fc.integer({ min: 0, max: 600 })), { maxLength: maxPoints });

describe('the text of a use', () => {
  test.each([
    [[], ''],
    [[96, 96, 96, 95, null, null, 95], '+2o=2-1?2=1'],
    [[0, 0, null, 7], '=2?1+7'],
    [[null, 3.4], '?1+3'],
  ])('of %j is %s', (use, text) => {
    expect(formatUse(use)).toBe(text);
  });

  it('gives the points that it was made of', () => {
    fc.assert(
      fc.property(points, (use) => {
        const text = formatUse(use);
        expect(text).toMatch(useForm);
        expect(readUse(text)).toEqual(use.slice(-readUse(text).length || use.length));
      }),
    );
  });

  it('holds a day of small changes, and the last 20 hours of large ones', () => {
    const changing = (by: number) => Array.from({ length: 150 }, (_, i) => (i % 2) * by);

    expect(readUse(formatUse(changing(35)))).toEqual(changing(35).slice(-97));
    expect(readUse(formatUse(changing(1_295)))).toEqual(changing(1_295).slice(-81));
  });

  it('is bounded, and keeps the last points, whatever the use is', () => {
    const use = Array.from({ length: 97 }, (_, i) => (i % 2) * Number.MAX_SAFE_INTEGER);

    const text = formatUse(use);

    expect(text.length).toBeLessThanOrEqual(256);
    expect(readUse(text).at(-1)).toBe(0);
  });

  it('has at most 256 characters', () => {
    const changing = (length: number) =>
      Array.from({ length }, (_, i) => ((i + 1) % 2) * Number.parseInt('100', 36));

    expect(formatUse(changing(64))).toBe('+100-100'.repeat(32));
    expect(formatUse(changing(65))).toBe('+100' + '-100+100'.repeat(28));
  });

  it('gives the last points that a trend has, whatever the text says', () => {
    expect(readUse('+1=zzzzzzzzzz?zzzzzzzzzz+1')).toEqual([...Array(96).fill(null), 2]);
    expect(readUse('?1'.repeat(97) + '+1'.repeat(97))).toEqual(
      Array.from({ length: 97 }, (_, i) => i + 1),
    );
  });
});
