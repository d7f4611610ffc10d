import { expect, test } from 'vitest';
import { runTimesOf } from '../../../src/schedule/run-times.ts';
import { clockChanges, followingTheClock, minutesAround, onceADay } from './wall-clock.ts';
import { rowsOf } from '../../support/rows.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** Every run after one instant and not after another. */
function runsBetween(expression: string, timezone: string, fromMs: number, untilMs: number) {
  const { next } = runTimesOf({ expression, timezone });
  const runs: number[] = [];
  for (let run = next(fromMs); run !== null && run <= untilMs; run = next(run)) runs.push(run);
  return runs;
}

test.each(rowsOf<[string, number]>('schedule', 'changes-of-clocks'))(
  'runs around each change of the clocks of %s in %i follow the rule',
  (zone, year) => {
    const changes = clockChanges(zone, year);

    expect(changes.length).toBeGreaterThanOrEqual(2);
    for (const change of changes) {
      const minutes = minutesAround(change, zone);
      const [fromMs, untilMs] = [change - dayMs, change + dayMs];
      for (const [expression, rule] of [
        ['*/30 1-3 * * *', onceADay],
        ['30 1 * * *', onceADay],
        ['30 2 * * *', onceADay],
        ['0 0 * * *', onceADay],
        ['15,45 23,0 * * *', onceADay],
        ['*/10 0-23 * * *', onceADay],
        ['20 0-3 * * SUN', onceADay],
        ['*/30 * * * *', followingTheClock],
        ['10 */2 * * *', followingTheClock],
        ['*/7 *,5 * * *', followingTheClock],
      ] as const) {
        const runs = runsBetween(expression, zone, fromMs, untilMs);

        const expected = rule(expression, minutes).filter((run) => run > fromMs && run <= untilMs);
        expect({ expression, change, runs }).toEqual({ expression, change, runs: expected });
      }
    }
  },
);

const isoRuns = (expression: string, timezone: string, from: string, until: string) =>
  runsBetween(expression, timezone, Date.parse(from), Date.parse(until)).map((run) =>
    new Date(run).toISOString().slice(5, 19),
  );

test('the runs of a schedule are seconds apart with 6 fields, once in a repeated hour and once after a gap', () => {
  const expression = '*/20 30 2 * * *';

  expect(
    isoRuns(expression, 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T12:00:00Z'),
  ).toEqual(['10-25T00:30:00', '10-25T00:30:20', '10-25T00:30:40']);
  expect(
    isoRuns(expression, 'Europe/Berlin', '2026-03-28T22:00:00Z', '2026-03-29T12:00:00Z'),
  ).toEqual(['03-29T01:00:00']);
});

test('the runs of a schedule go on through a repeated hour when it begins amid one', () => {
  const { next } = runTimesOf({ expression: '30 * * * *', timezone: 'Europe/Berlin' });

  expect(next(Date.parse('2026-10-25T00:30:00Z'))).toBe(Date.parse('2026-10-25T01:30:00Z'));
});

test('the runs of a schedule are found decades ahead, and are none where there is none', () => {
  const onMonday29 = runTimesOf({ expression: '0 0 29 2 MON', timezone: 'Etc/UTC' });
  const never = runTimesOf({ expression: '0 0 15W 2 SAT', timezone: 'Etc/UTC' });

  expect(onMonday29.next(Date.UTC(2072, 2, 1))).toBe(Date.UTC(2112, 1, 29));
  expect(never.next(0)).toBeNull();
});

test('the runs of a schedule are counted up to a limit', () => {
  const { countBetween } = runTimesOf({ expression: '* * * * * *', timezone: 'Europe/Berlin' });

  expect(countBetween(0, 10_000, 1_000)).toBe(10);
  expect(countBetween(0, 365 * dayMs, 1_000)).toBe(1_000);
});
