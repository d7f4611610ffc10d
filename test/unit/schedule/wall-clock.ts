/** What the clock of a zone shows, and the rules for the runs of a schedule, read from it minute by minute. */
import { parse } from 'node-cron';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A minute that a clock shows, written as if it were UTC. */
type Shown = number;

/**
 * What a zone's clock shows at every minute from a day and a half before an instant until as long
 * after it, and every minute that these days have on paper.
 */
export function minutesAround(atMs: number, timezone: string) {
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
export function followingTheClock(expression: string, { real }: Minutes): number[] {
  const isNamed = namesOf(expression);
  return real.filter(({ shown }) => isNamed(shown)).map(({ ms }) => ms);
}

/** The rule for fixed times: each minute on paper runs when first shown, else right after the gap. */
export function onceADay(expression: string, { real, paper }: Minutes): number[] {
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
export function clockChanges(timezone: string, year: number): number[] {
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
