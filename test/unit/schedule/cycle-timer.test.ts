import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CronTimer, maxMissed } from '../../../src/schedule/cycle-timer.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** When a schedule was due from a time of 2026 on, as in `01-31T23:59`, and what it counted as missed. */
function watch(expression: string, timezone: string, from: string) {
  vi.setSystemTime(from);
  const due: string[] = [];
  const missed: number[] = [];
  const schedule = new CronTimer({ expression, timezone }, { now: () => Date.now() });
  schedule.start((runs) => {
    due.push(new Date().toISOString().slice('2026-'.length, 16));
    if (runs > 0) missed.push(runs);
  });
  return { schedule, due, missed };
}

test('a schedule is due once after the process was suspended, and counts the runs before', () => {
  const { due, missed, schedule } = watch('*/5 * * * *', 'Etc/UTC', '2026-01-01T00:00:00Z');
  vi.advanceTimersByTime(5 * minuteMs);

  vi.setSystemTime('2026-01-01T01:02:00Z');
  vi.advanceTimersByTime(4 * minuteMs);

  expect(due).toEqual(['01-01T00:05', '01-01T01:02', '01-01T01:05']);
  expect(missed).toEqual([10]);
  schedule.stop();
});

test('a sleep of months counts no more runs than anybody needs to know', () => {
  const { missed, schedule } = watch('* * * * *', 'Etc/UTC', '2026-01-01T00:00:00Z');

  vi.setSystemTime('2026-06-01T00:00:30Z');
  vi.advanceTimersByTime(minuteMs);

  expect(missed).toEqual([maxMissed]);
  schedule.stop();
});

test('a clock that is set back an hour does not stop the schedule', () => {
  const { due, missed, schedule } = watch('*/5 * * * *', 'Etc/UTC', '2026-01-01T06:00:00Z');
  vi.advanceTimersByTime(5 * minuteMs);

  vi.setSystemTime('2026-01-01T05:06:00Z');
  vi.advanceTimersByTime(5 * minuteMs);

  expect(due).toEqual(['01-01T06:05', '01-01T05:10']);
  expect(missed).toEqual([]);
  schedule.stop();
});

test('the next run is known from the start until the stop, and none is due after it', () => {
  const { due, schedule } = watch('*/5 * * * *', 'Etc/UTC', '2026-01-01T00:00:00Z');
  expect(schedule.nextRunMs()).toBe(Date.parse('2026-01-01T00:05:00Z'));

  schedule.stop();
  vi.advanceTimersByTime(hourMs);

  expect(schedule.nextRunMs()).toBeNull();
  expect(due).toEqual([]);
});

test('a schedule that runs follows another expression at once, and a stopped one with its next start', () => {
  const { due, schedule } = watch('*/5 * * * *', 'Etc/UTC', '2026-01-01T00:00:00Z');

  expect(schedule.configure({ expression: '*/5 * * * *', timezone: 'Etc/UTC' })).toBe(false);
  expect(schedule.configure({ expression: '*/2 * * * *', timezone: 'Etc/UTC' })).toBe(true);
  vi.advanceTimersByTime(5 * minuteMs);

  expect(due).toEqual(['01-01T00:02', '01-01T00:04']);
  schedule.stop();
  expect(schedule.configure({ expression: '* * * * *', timezone: 'Etc/UTC' })).toBe(true);
  expect(schedule.nextRunMs()).toBeNull();
});
