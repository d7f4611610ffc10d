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
  const times = new DayTimes(expression);
  const days = new RecentDays((dayStart) =>
    isDay(dayStart) ? clockChangeAround(dayStart, offsetAt) : null,
  );
  const nextOnDay = (dayStart: number, afterMs: number): number | null => {
    const change = days.of(dayStart);
    return change === null ? null : times.firstRun(dayStart, afterMs, change);
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
  const { month, hour, minute, second } = parse(expression);
  const months = new Set(month);
  const task = createTask(expression, () => undefined, { timezone: 'Etc/UTC' });
  // The task can still match dates after this; node-cron only forgets it.
  void task.destroy();
  const timeOfDayMs = ((hour[0] ?? 0) * 3_600 + (minute[0] ?? 0) * 60 + (second[0] ?? 0)) * 1_000;
  return (dayStart) =>
    months.has(new Date(dayStart).getUTCMonth() + 1) &&
    task.match(new Date(dayStart + timeOfDayMs));
}

/** The times of day of an expression, and their instants on a given day. */
class DayTimes {
  readonly #hours: readonly number[];
  readonly #minutes: readonly number[];
  readonly #seconds: readonly number[];
  readonly #areFixed: boolean;

  constructor(expression: string) {
    const { hour, minute, second } = parse(expression);
    this.#hours = ascending(hour);
    this.#minutes = ascending(minute);
    this.#seconds = ascending(second);
    this.#areFixed = !hourField(expression).includes('*');
  }

  /** The first run of a day after an instant; `null` when there is none. */
  firstRun(dayStart: number, afterMs: number, change: ClockChange): number | null {
    const { atMs, oldOffsetMs, newOffsetMs } = change;
    const shown = (instantMs: number, offsetMs: number) => instantMs + offsetMs - dayStart;
    const instant = (time: number, offsetMs: number) => dayStart + time - offsetMs;

    const early = this.#from(shown(afterMs, oldOffsetMs) + 1);
    if (early !== null && instant(early, oldOffsetMs) < atMs) return instant(early, oldOffsetMs);
    if (atMs === Infinity) return null;

    const gapStart = shown(atMs, oldOffsetMs);
    const gapEnd = shown(atMs, newOffsetMs);
    if (this.#areFixed && afterMs < atMs) {
      const skipped = this.#from(Math.max(0, gapStart));
      if (skipped !== null && skipped < gapEnd) return atMs;
    }
    const earliest = this.#areFixed ? Math.max(gapStart, gapEnd) : gapEnd;
    const late = this.#from(Math.max(earliest, shown(afterMs, newOffsetMs) + 1));
    return late === null ? null : instant(late, newOffsetMs);
  }

  /** The first time of day at or after a time; milliseconds since midnight on the wall clock. */
  #from(timeMs: number): number | null {
    const total = Math.max(0, Math.ceil(timeMs / 1_000));
    const hour = Math.floor(total / 3_600);
    const minute = Math.floor(total / 60) % 60;
    const first = { minute: this.#minutes[0] ?? 0, second: this.#seconds[0] ?? 0 };
    const ms = (h: number, m: number, s: number) => ((h * 60 + m) * 60 + s) * 1_000;
    for (const h of this.#hours) {
      if (h < hour) continue;
      if (h > hour) return ms(h, first.minute, first.second);
      for (const m of this.#minutes) {
        if (m < minute) continue;
        if (m > minute) return ms(h, m, first.second);
        const s = this.#seconds.find((second) => second >= total % 60);
        if (s !== undefined) return ms(h, m, s);
      }
    }
    return null;
  }
}

/** The text of the hour field; nicknames such as `@daily` mean a fixed hour, except `@hourly`. */
function hourField(expression: string): string {
  const fields = expression.trim().split(/\s+/);
  if (fields.length === 1) return fields[0]?.toLowerCase() === '@hourly' ? '*' : '';
  return fields[fields.length - 4] ?? '';
}

function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

/** Caches the values of a function for the latest days, because the search for runs goes day by day. */
class RecentDays<T> {
  readonly #values = new Map<number, T>();
  readonly #compute: (dayStart: number) => T;

  constructor(compute: (dayStart: number) => T) {
    this.#compute = compute;
  }

  of(dayStart: number): T {
    const known = this.#values.get(dayStart);
    if (known !== undefined) return known;
    if (this.#values.size >= 8) this.#values.clear();
    const value = this.#compute(dayStart);
    this.#values.set(dayStart, value);
    return value;
  }
}
