import { expect, test } from 'vitest';
import { parseDurationMs } from '../../../src/validation/duration.ts';

test.each([
  ['0s', 0],
  ['250ms', 250],
  ['30s', 30_000],
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['1h30m', 5_400_000],
  ['2d', 172_800_000],
  ['1m500ms', 60_500],
])('%s is %d milliseconds', (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms);
});

test.each(['', '5', 's', '5 m', '-5s', '1.5h', '5s1m', '5S', '1w'])('%j is no duration', (text) => {
  expect(parseDurationMs(text)).toBeNull();
});
