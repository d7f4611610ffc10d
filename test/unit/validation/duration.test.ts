import { expect, test } from 'vitest';
import { durationText, msOf } from '../../../src/validation/duration.ts';
import { rowsOf } from '../../support/rows.ts';

test.each(rowsOf<[string, number]>('config', 'durations'))('%s is %d milliseconds', (text, ms) => {
  expect(msOf(text)).toBe(ms);
});

test.each(['', '5', 's', '5 m', '-5s', '1.5h', '5s1m', '5S', '1w'])('%j is no duration', (text) => {
  expect(durationText().safeParse(text).success).toBe(false);
});
