import { expect, test } from 'vitest';
import { trendStepMs } from '../../../src/schedule/cron.ts';
import { rowsOf } from '../../support/rows.ts';

test.each(rowsOf<[string, number]>('schedule', 'steps-of-trends'))(
  'a step of the schedule %s has %i ms',
  (expression, stepMs) => {
    expect(trendStepMs({ expression, timezone: 'Europe/Berlin' })).toBe(stepMs);
  },
);
