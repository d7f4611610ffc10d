import { expect, it } from 'vitest';
import { sampleOf } from '../../../src/model/metric-family.ts';

it('has a sample for every known value, also for 0', () => {
  expect(sampleOf(0)).toEqual([{ labels: {}, value: 0 }]);
  expect(sampleOf(-3)).toEqual([{ labels: {}, value: -3 }]);
});

it.each([null, undefined])('has no sample for %s', (value) => {
  expect(sampleOf(value)).toEqual([]);
});
