import { parse } from 'node-cron';
import { expect, test } from 'vitest';
import { cronRuns } from '../../../src/config/cron-runs.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Every run after one instant and not after another. */
function runsBetween(expression: string, timezone: string, fromMs: number, untilMs: number) {
  const { next } = cronRuns({ expression, timezone });
  const runs: number[] = [];
  for (let run = next(fromMs); run !== null && run <= untilMs; run = next(run)) runs.push(run);
  return runs;
}

/** A minute that a clock shows, written as if it were UTC. */
type Shown = number;

/**
 * What a zone's clock shows at every minute from a day and a half before an instant until as long
 * after it, and every minute that these days have on paper.
 */
function minutesAround(atMs: number, timezone: string) {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const real = Array.from({ length: (3 * dayMs) / minuteMs }, (_, i) => {
    const ms = atMs - 1.5 * dayMs + i * minuteMs;
    return { ms, shown: Date.parse(`${format.format(ms).replace(' ', 'T')}Z`) };
  });
  const firstMs = real[0]!.shown;
  const paper = Array.from({ length: (3 * dayMs) / minuteMs }, (_, i) => firstMs + i * minuteMs);
  return { real, paper };
}

type Minutes = ReturnType<typeof minutesAround>;

/** Whether an expression names a minute. */
function namesOf(expression: string): (shown: Shown) => boolean {
  const fields = parse(expression);
  return (shown) => {
    const date = new Date(shown);
    return (
      fields.minute.includes(date.getUTCMinutes()) &&
      fields.hour.includes(date.getUTCHours()) &&
      fields.dayOfMonth.includes(date.getUTCDate()) &&
      fields.month.includes(date.getUTCMonth() + 1) &&
      fields.dayOfWeek.includes(date.getUTCDay())
    );
  };
}

/** The rule for `*` in the hour field: a run whenever the clock shows one of the times. */
function followingTheClock(expression: string, { real }: Minutes): number[] {
  const isNamed = namesOf(expression);
  return real.filter(({ shown }) => isNamed(shown)).map(({ ms }) => ms);
}

/** The rule for fixed times: each minute on paper runs when first shown, else right after the gap. */
function onceADay(expression: string, { real, paper }: Minutes): number[] {
  const firstShown = new Map<Shown, number>();
  for (const { ms, shown } of real) {
    if (!firstShown.has(shown)) firstShown.set(shown, ms);
  }
  const afterGap = (skipped: Shown) =>
    real.find(({ shown }, i) => shown > skipped && (real[i - 1]?.shown ?? skipped) < skipped)?.ms;
  const runs = paper
    .filter(namesOf(expression))
    .map((shown) => firstShown.get(shown) ?? afterGap(shown));
  return [...new Set(runs)].filter((run) => run !== undefined).sort((a, b) => a - b);
}

/** When the clocks of a zone are changed in a year, to the hour. */
function clockChanges(timezone: string, year: number): number[] {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  const offset = (ms: number) => format.format(ms).split('GMT')[1];
  const changes: number[] = [];
  const endMs = Date.UTC(year + 1, 0, 1);
  for (let ms = Date.UTC(year, 0, 1); ms < endMs; ms += 6 * hourMs) {
    if (offset(ms) === offset(ms + 6 * hourMs)) continue;
    let hour = ms;
    while (offset(hour) === offset(hour + hourMs)) hour += hourMs;
    changes.push(hour + hourMs);
  }
  return changes;
}

/** Zones whose clocks are changed twice a year, and a year. */
const zones = [
  ['Europe/Berlin', 2026],
  ['Australia/Lord_Howe', 2026],
  ['America/Santiago', 2026],
  ['Pacific/Chatham', 2026],
  ['Antarctica/Troll', 2026],
  ['America/Havana', 2026],
  // Its clocks follow Ramadan. What is decreed from 2026 on differs between versions of Node.
  ['Africa/Casablanca', 2021],
] as const;

const fixed = [
  '*/30 1-3 * * *',
  '30 1 * * *',
  '30 2 * * *',
  '0 0 * * *',
  '15,45 23,0 * * *',
  '*/10 0-23 * * *',
  '20 0-3 * * SUN',
];
const following = ['*/30 * * * *', '10 */2 * * *', '*/7 *,5 * * *'];

/** Compares the runs of a day before and a day after an instant. */
function expectRunsOfTheRule(change: number, zone: string): void {
  const minutes = minutesAround(change, zone);
  const [fromMs, untilMs] = [change - dayMs, change + dayMs];
  for (const [rule, expressions] of [
    [onceADay, fixed],
    [followingTheClock, following],
  ] as const) {
    for (const expression of expressions) {
      const runs = runsBetween(expression, zone, fromMs, untilMs);

      const expected = rule(expression, minutes).filter((run) => run > fromMs && run <= untilMs);
      expect({ expression, change, runs }).toEqual({ expression, change, runs: expected });
    }
  }
}

test.each(zones)(
  'runs around each change of the clocks of %s in %i follow the rule',
  (zone, year) => {
    const changes = clockChanges(zone, year);

    expect(changes.length).toBeGreaterThanOrEqual(2);
    for (const change of changes) expectRunsOfTheRule(change, zone);
  },
);

test('the runs are those of the rule where the repeated hour spans midnight', () => {
  // 00:01 of 7 November became 23:01 of the day before.
  expectRunsOfTheRule(Date.parse('2010-11-07T02:31:00Z'), 'America/St_Johns');
});

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
  const { next } = cronRuns({ expression: '30 * * * *', timezone: 'Europe/Berlin' });

  expect(next(Date.parse('2026-10-25T00:30:00Z'))).toBe(Date.parse('2026-10-25T01:30:00Z'));
});

test('the runs of a schedule are found decades ahead, and are none where there is none', () => {
  const onMonday29 = cronRuns({ expression: '0 0 29 2 MON', timezone: 'Etc/UTC' });
  const never = cronRuns({ expression: '0 0 15W 2 SAT', timezone: 'Etc/UTC' });

  expect(onMonday29.next(Date.UTC(2072, 2, 1))).toBe(Date.UTC(2112, 1, 29));
  expect(never.next(0)).toBeNull();
});

test('the runs of a schedule are counted up to a limit', () => {
  const { between } = cronRuns({ expression: '* * * * * *', timezone: 'Europe/Berlin' });

  expect(between(0, 10_000, 1_000)).toBe(10);
  expect(between(0, 365 * dayMs, 1_000)).toBe(1_000);
});
