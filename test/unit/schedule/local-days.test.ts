import { expect, test } from 'vitest';
import { endOfDayMs } from '../../../src/schedule/local-days.ts';
import { rowsOf } from '../../support/rows.ts';

const hourMs = 3_600_000;

/** The local date of an instant. */
const dateIn = (timezone: string, instantMs: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(instantMs);

test('the end of a day is the midnight after it, in the zone', () => {
  expect(endOfDayMs('2026-12-31', 'Etc/UTC')).toBe(Date.UTC(2027, 0, 1));
  expect(endOfDayMs('2026-12-31', 'Asia/Shanghai')).toBe(Date.UTC(2026, 11, 31, 16));
  expect(endOfDayMs('2024-02-28', 'Etc/UTC')).toBe(Date.UTC(2024, 1, 29));
});

test.each(rowsOf<[string, string, string]>('schedule', 'local-days'))(
  'the end of a day is the first instant with another date: %s',
  (_what, timezone, date) => {
    const endMs = endOfDayMs(date, timezone);

    expect(dateIn(timezone, endMs - 1)).toBe(date);
    for (let i = 0; i < 12; i += 1) {
      expect(dateIn(timezone, endMs + i * (hourMs / 4)) > date).toBe(true);
    }
  },
);
