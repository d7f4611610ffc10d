import { expect, test } from 'vitest';
import { endOfDayMs } from '../../../src/schedule/local-days.ts';

const hourMs = 3_600_000;

/** The local date of an instant. */
const dateIn = (timezone: string, instantMs: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(instantMs);

test('the end of a day is the midnight after it, in the zone', () => {
  expect(endOfDayMs('2026-12-31', 'Etc/UTC')).toBe(Date.UTC(2027, 0, 1));
  expect(endOfDayMs('2026-12-31', 'Asia/Shanghai')).toBe(Date.UTC(2026, 11, 31, 16));
  expect(endOfDayMs('2024-02-28', 'Etc/UTC')).toBe(Date.UTC(2024, 1, 29));
});

test.each([
  ['an ordinary day', 'Europe/Berlin', '2026-07-01'],
  ['a day with 23 hours', 'Europe/Berlin', '2026-03-29'],
  ['the day before it', 'Europe/Berlin', '2026-03-28'],
  ['a day with 25 hours', 'Europe/Berlin', '2026-10-25'],
  ['a next day without a midnight', 'Africa/Cairo', '2024-04-25'],
  ['a day whose midnight occurs twice', 'Africa/Cairo', '2024-10-31'],
  ['a next day that begins twice', 'America/Havana', '2024-11-02'],
  ['a zone of half an hour', 'Australia/Lord_Howe', '2026-04-05'],
])('the end of a day is the first instant with another date: %s', (_what, timezone, date) => {
  const endMs = endOfDayMs(date, timezone);

  expect(dateIn(timezone, endMs - 1)).toBe(date);
  for (let i = 0; i < 12; i += 1) {
    expect(dateIn(timezone, endMs + i * (hourMs / 4)) > date).toBe(true);
  }
});
