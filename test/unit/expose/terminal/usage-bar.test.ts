import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { barOf } from '../../../../src/expose/terminal/usage-bar.ts';

describe('a bar', () => {
  test.each([
    [0, '', '░░░░'],
    [0.5, '██', '░░'],
    [0.53125, '██▏', '░'],
    [0.96875, '███▉', ''],
    [1, '████', ''],
  ])('of %f is filled by the eighth of a character', (share, filled, empty) => {
    expect(barOf(share, 4)).toEqual({ filled, empty });
  });

  test('shows the first that is gone, and the last that is left', () => {
    expect(barOf(0.0001, 4).filled).toBe('▏');
    expect(barOf(0.9999, 4).filled).toBe('███▉');
  });

  test('is as wide as asked for, whatever its share', () => {
    const shares = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(shares, fc.integer({ min: 1, max: 60 }), (share, width) => {
        const { filled, empty } = barOf(share, width);
        expect(filled.length + empty.length).toBe(width);
      }),
    );
  });
});
