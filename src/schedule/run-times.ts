/**
 * The times at which a cron expression runs in a time zone. The other files of this folder call it. For changes of the
 * clock there is one rule:
 *
 * - An hour field with `*` or `*\/n` follows the local time: the schedule runs whenever the local time is one
 *   of its times. In a repeated hour it runs both times. It does not run at times that a gap skips.
 * - Any other hour field (`2`, `1,2`, `1-3`, `0-23`) names fixed times, which run once a day. In a
 *   repeated hour they run the first time only. Times that a gap skips run once, directly after the gap.
 */
import { createTask, parse } from 'node-cron';
import { memoizeLast } from '../model/memoize.ts';

/** The runs of a schedule. Instants are in milliseconds since the Unix epoch. */
export type RunTimes = ReturnType<typeof runTimesOf>;

/** The schedule of the cycles: a cron expression of 5 or 6 fields, in a time zone. */
export interface CronSchedule {
  readonly expression: string;
  /** An IANA name such as `Europe/Berlin`. */
  readonly timezone: string;
}

export const dayMs = 86_400_000;

/** How far the search for the next run goes: 29 February on a given weekday may be 40 years away. */
const horizonMs = 50 * 366 * dayMs;

/** Returns the functions that find the runs of a schedule. @throws Error for an invalid expression or time zone */
export function runTimesOf({ expression, timezone }: CronSchedule) {
  const offsetAt = createOffsetAt(timezone);
  const firstNamed = localTimeFinder(expression);
  // The hour field is the fourth from the end. Nicknames such as `@daily` name fixed hours, except `@hourly`.
  const areFixed = !/\*\S*(\s+\S+){3}\s*$|@hourly/i.test(expression);

  /** When runs go on after a change of the clock: fixed times wait until the clock shows more than before the change. */
  const resumeMs = (changeMs: number, oldOffsetMs: number) =>
    areFixed ? changeMs + Math.max(0, oldOffsetMs - offsetAt(changeMs)) : changeMs;

  // The accounts of a cluster ask one after another for the run after the same instant.
  const next = memoizeLast((afterMs: number): number | null => {
    // The instant from which the next run is searched. A change of the clock up to a day before may still delay it.
    let from = Math.floor(afterMs) + 1;
    const lastChange = nextOffsetChange(from - dayMs, from, offsetAt);
    if (lastChange !== null) from = Math.max(from, resumeMs(lastChange, offsetAt(from - dayMs)));
    for (;;) {
      // The next run, if the clock does not change before it.
      const offset = offsetAt(from);
      const named = firstNamed(from + offset);
      if (named === null) return null;
      const run = named - offset;
      const until = Math.min(run, from + dayMs);
      const change = nextOffsetChange(from, until, offsetAt);
      if (change === null && until === run) return run;
      // A gap skips the named time.
      if (change !== null && areFixed && named < change + offsetAt(change)) return change;
      // Only changes shortly after the start or shortly before a run matter.
      from = change === null ? Math.max(until, run - dayMs) : resumeMs(change, offset);
    }
  });
  return {
    /** The first run after an instant; `null` when there is none within 50 years. */
    next,
    /** The number of runs after `afterMs` and up to `untilMs`; at most `limit`. */
    countBetween: (afterMs: number, untilMs: number, limit: number) => {
      let runs = 0;
      let run = next(afterMs);
      for (; run !== null && run <= untilMs && runs < limit; run = next(run)) runs += 1;
      return runs;
    },
  };
}

/**
 * How far {@link lastRun} searches back. Nearly every expression has a run in it, even on 29 February: 1900 and 2100
 * are no leap years.
 */
const maxWindowMs = 9 * 366 * dayMs;

/** The latest run up to an instant; `null` when there is none in the last 9 years. Pure. */
export function lastRun(runs: RunTimes, instantMs: number): number | null {
  const atMs = Math.floor(instantMs);
  /** Whether a run follows a time, up to the instant. */
  const isBeforeARun = (ms: number) => (runs.next(ms) ?? Infinity) <= atMs;
  let windowMs = 1_000;
  while (!isBeforeARun(atMs - windowMs)) {
    windowMs *= 4;
    if (windowMs > maxWindowMs) return null;
  }
  return runs.next(lastLow(atMs - windowMs, atMs, isBeforeARun));
}

/**
 * The last millisecond at which `isLow` holds, by bisection.
 *
 * @param low a whole number at which it holds
 * @param high a higher whole number at which it does not hold
 */
function lastLow(low: number, high: number, isLow: (ms: number) => boolean): number {
  if (high - low <= 1) return low;
  const middle = Math.floor((low + high) / 2);
  return isLow(middle) ? lastLow(middle, high, isLow) : lastLow(low, middle, isLow);
}

/**
 * Returns a function that finds the first local time that an expression names, at or after another local time; `null`
 * if there is none within 50 years. A local time is represented by the instant at which a clock of UTC shows it.
 */
function localTimeFinder(expression: string): (earliestMs: number) => number | null {
  const { hour, minute, month, second } = parse(expression);
  const times = hour
    .flatMap((h) => minute.flatMap((m) => second.map((s) => ((h * 60 + m) * 60 + s) * 1_000)))
    .sort((a, b) => a - b);
  // The task decides by date only: it matches the first time of a day if the expression names the day.
  const [firstTime = 0] = times;
  const task = createTask(expression, () => undefined, { timezone: 'Etc/UTC' });
  // The task can still match dates after this; node-cron only forgets it.
  void task.destroy();
  const isDay = (day: number) =>
    month.includes(new Date(day).getUTCMonth() + 1) && task.match(new Date(day + firstTime));

  return (earliestMs) => {
    const today = Math.floor(earliestMs / dayMs) * dayMs;
    for (let day = today; day < today + horizonMs; day += dayMs) {
      if (!isDay(day)) continue;
      const time = times.find((timeOfDay) => day + timeOfDay >= earliestMs);
      if (time !== undefined) return day + time;
    }
    return null;
  };
}

/** How far the local time of a zone is ahead of UTC at an instant. Both are in milliseconds. */
type OffsetAt = (instantMs: number) => number;

/**
 * Returns a function that gives the offset of a time zone.
 *
 * @throws RangeError when the runtime does not know the zone
 */
export function createOffsetAt(timeZone: string): OffsetAt {
  // Swedish dates and times are those of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (instantMs) => {
    const secondMs = Math.floor(instantMs / 1_000) * 1_000;
    return Date.parse(`${format.format(secondMs).replace(' ', 'T')}Z`) - secondMs;
  };
}

/**
 * The first instant with another offset than at `fromMs`, up to `untilMs`. `null` if there is none. No zone changes its
 * clock twice within two days.
 */
export function nextOffsetChange(
  fromMs: number,
  untilMs: number,
  offsetAt: OffsetAt,
): number | null {
  const offset = offsetAt(fromMs);
  if (offsetAt(untilMs) === offset) return null;
  return lastLow(fromMs, untilMs, (ms) => offsetAt(ms) === offset) + 1;
}
