/**
 * The runs of a cron expression in a time zone with clock changes. There is one rule:
 *
 * - An hour field with `*` or `*\/n` follows the local time: the schedule runs whenever the local time is one
 *   of its times. In a repeated hour it runs both times. It does not run at times that a gap skips.
 * - Any other hour field (`2`, `1,2`, `1-3`, `0-23`) names fixed times, which run once a day. In a
 *   repeated hour they run the first time only. Times that a gap skips run once, directly after the gap.
 */
import { createTask, parse } from 'node-cron';
import type { Runs } from '../model/runs.ts';
import { clockChangeAround, dayMs, zoneOffsets, type ClockChange } from './time-zone.ts';

/** The schedule of the cycles: a cron expression of 5 or 6 fields, in a time zone. */
export interface CronSchedule {
  readonly expression: string;
  /** An IANA name such as `Europe/Berlin`. */
  readonly timezone: string;
}

/** 29 February on a given weekday may be 40 years away. */
const horizonDays = 50 * 366;

/** @throws Error for an invalid expression or time zone */
export function cronRuns({ expression, timezone }: CronSchedule): Runs {
  const offsetAt = zoneOffsets(timezone);
  const isDay = dayMatcher(expression);
  const firstRun = dayRuns(expression);
  // A run and the next one are usually on the same days, and a change of clocks takes long to find.
  const changes = new Map<number, ClockChange>();
  const nextOnDay = (dayStart: number, afterMs: number): number | null => {
    const known = changes.get(dayStart);
    if (known === undefined && !isDay(dayStart)) return null;
    const change = known ?? clockChangeAround(dayStart, offsetAt);
    if (changes.size >= 8) changes.clear();
    changes.set(dayStart, change);
    return firstRun(dayStart, afterMs, change);
  };

  const next = (afterMs: number): number | null => {
    const wallMs = afterMs + offsetAt(afterMs);
    // A clock that is set back at midnight shows the last day again.
    const firstDay = Math.floor(wallMs / dayMs) * dayMs - dayMs;
    for (let i = 0; i < horizonDays; i += 1) {
      const dayStart = firstDay + i * dayMs;
      const run = nextOnDay(dayStart, afterMs);
      if (run === null) continue;
      return Math.min(run, nextOnDay(dayStart + dayMs, afterMs) ?? Infinity);
    }
    return null;
  };
  return {
    next,
    between: (afterMs, untilMs, limit) => {
      let runs = 0;
      let run = next(afterMs);
      for (; run !== null && run <= untilMs && runs < limit; run = next(run)) runs += 1;
      return runs;
    },
  };
}

/** Whether an expression runs on a day. The day is given as its midnight in UTC. */
function dayMatcher(expression: string): (dayStart: number) => boolean {
  const months = new Set(parse(expression).month);
  const [firstTime = 0] = timesOfDay(expression);
  const task = createTask(expression, () => undefined, { timezone: 'Etc/UTC' });
  // The task can still match dates after this; node-cron only forgets it.
  void task.destroy();
  return (dayStart) =>
    months.has(new Date(dayStart).getUTCMonth() + 1) && task.match(new Date(dayStart + firstTime));
}

/** The times of day of an expression, ascending; milliseconds since midnight on the wall clock. */
function timesOfDay(expression: string): readonly number[] {
  const { hour, minute, second } = parse(expression);
  const times = hour.flatMap((h) =>
    minute.flatMap((m) => second.map((s) => ((h * 60 + m) * 60 + s) * 1_000)),
  );
  return times.sort((a, b) => a - b);
}

/** The first run of a day after an instant; `null` when there is none. */
type FirstRun = (dayStart: number, afterMs: number, change: ClockChange) => number | null;

function dayRuns(expression: string): FirstRun {
  const times = timesOfDay(expression);
  const areFixed = !hourField(expression).includes('*');
  // A day of a schedule with seconds has thousands of times.
  const from = (earliest: number) => {
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((times[middle] ?? 0) < earliest) low = middle + 1;
      else high = middle;
    }
    return times[low];
  };

  return (dayStart, afterMs, { atMs, oldOffsetMs, newOffsetMs }) => {
    const shown = (instantMs: number, offsetMs: number) => instantMs + offsetMs - dayStart;
    const instant = (time: number, offsetMs: number) => dayStart + time - offsetMs;

    const early = from(shown(afterMs, oldOffsetMs) + 1);
    if (early !== undefined && instant(early, oldOffsetMs) < atMs) {
      return instant(early, oldOffsetMs);
    }
    if (atMs === Infinity) return null;

    const gapStart = shown(atMs, oldOffsetMs);
    const gapEnd = shown(atMs, newOffsetMs);
    if (areFixed && afterMs < atMs) {
      const skipped = from(gapStart);
      if (skipped !== undefined && skipped < gapEnd) return atMs;
    }
    const earliest = areFixed ? Math.max(gapStart, gapEnd) : gapEnd;
    const late = from(Math.max(earliest, shown(afterMs, newOffsetMs) + 1));
    return late === undefined ? null : instant(late, newOffsetMs);
  };
}

/** The text of the hour field; nicknames such as `@daily` mean a fixed hour, except `@hourly`. */
function hourField(expression: string): string {
  const fields = expression.trim().split(/\s+/);
  if (fields.length === 1) return fields[0]?.toLowerCase() === '@hourly' ? '*' : '';
  return fields[fields.length - 4] ?? '';
}
