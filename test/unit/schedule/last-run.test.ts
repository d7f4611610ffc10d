import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { runTimesOf, lastRun } from '../../../src/schedule/run-times.ts';
import { rowsOf } from '../../support/rows.ts';

const runsOf = (schedule: string, timezone = 'Etc/UTC') =>
  runTimesOf(
    parseConfig(
      `poll: { schedule: "${schedule}", timezone: ${timezone} }\naccounts: [{ name: a, regions: [ap-guangzhou] }]`,
      'f',
      collectors,
    ).poll,
  );
const at = (text: string) => Date.parse(text);

it.each(rowsOf<[string, string, string, string]>('schedule', 'last-runs'))(
  'the last run is found at or before an instant: %s',
  (_, schedule, instant, expected) => {
    expect(lastRun(runsOf(schedule), at(instant))).toBe(at(expected));
  },
);

it('the last run is found a part of a millisecond after it', () => {
  const runs = runsOf('* * * * * *');
  let calls = 0;
  const next = (afterMs: number) => {
    calls += 1;
    if (calls > 1_000) throw new Error('the search does not end');
    return runs.next(afterMs);
  };

  const last = lastRun({ ...runs, next }, at('2026-02-03T14:05:07Z') + 0.3);

  expect(last).toBe(at('2026-02-03T14:05:07Z'));
});

it('the last run is found across the change to summer time', () => {
  const runs = runsOf('30 2 * * *', 'Europe/Berlin');

  // The hour from 2 to 3 is left out on the 29th.
  expect(lastRun(runs, at('2026-03-29T12:00:00Z'))).toBe(at('2026-03-29T01:00:00Z'));
  expect(lastRun(runs, at('2026-03-29T00:59:59Z'))).toBe(at('2026-03-28T01:30:00Z'));
});

it('the last run is null when there was none in the last years', () => {
  const next = vi.fn(() => null);

  expect(lastRun({ next, countBetween: () => 0 }, at('2026-02-03T14:05:00Z'))).toBeNull();
  expect(next.mock.calls.length).toBeLessThan(50);
});

it('the last run is the one before the next', () => {
  const runs = runsOf('*/7 3,15 * * *');
  const instants = fc.integer({
    min: at('2026-01-01T00:00:00Z'),
    max: at('2027-01-01T00:00:00Z'),
  });

  fc.assert(
    fc.property(instants, (instant) => {
      const last = lastRun(runs, instant)!;
      expect(last).toBeLessThanOrEqual(instant);
      expect(runs.next(last)).toBeGreaterThan(instant);
      expect(runs.next(last - 1)).toBe(last);
    }),
    { numRuns: 50 },
  );
});
