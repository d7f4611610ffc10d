import { expect, test } from 'vitest';
import { trendStepMs } from '../../../src/schedule/cron.ts';

test.each([
  ['*/5 * * * *', 900_000],
  ['* * * * *', 900_000],
  ['0 * * * *', 900_000],
  ['*/10 * * * * *', 900_000],
  ['*/9 * * * * *', 9_000],
  ['*/2 * * * * *', 2_000],
  ['0 0 29 2 *', 900_000],
])('a step of the schedule %s has %i ms', (expression, stepMs) => {
  expect(trendStepMs({ expression, timezone: 'Europe/Berlin' })).toBe(stepMs);
});
