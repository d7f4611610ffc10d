/** Checks the schedule of a configuration, and measures it. */
import { validateDetailed } from 'node-cron';
import { usualStepMs } from '../model/trend.ts';
import { runTimesOf, type CronSchedule } from './run-times.ts';
import { dayMs } from './time-zone.ts';

const example = 'write for example "*/5 * * * *"';

/** The mistake in an expression. `null` when it is valid and has runs. The message does not repeat it. */
export function cronProblem(expression: string): string | null {
  const { errors } = validateDetailed(expression);
  if (errors.length > 0)
    return `invalid ${errors.map(({ field }) => field).join(', ')}; ${example}`;
  // Whether it has runs does not depend on the zone or on the start of the search.
  const firstMs = runTimesOf({ expression, timezone: 'Etc/UTC' }).next(0);
  return firstMs === null ? `never runs; ${example}` : null;
}

/** Enough for every interval of a week of hourly runs. */
const comparedRuns = 200;

/**
 * The shortest time between two of the next runs; `Infinity` when there are fewer than two.
 *
 * @returns milliseconds
 */
export function shortestIntervalMs(schedule: CronSchedule, nowMs: number): number {
  const { next } = runTimesOf(schedule);
  let shortest = Infinity;
  let run = next(nowMs);
  for (let i = 1; i < comparedRuns && run !== null; i += 1) {
    const following = next(run);
    if (following !== null) shortest = Math.min(shortest, following - run);
    run = following;
  }
  return shortest;
}

/** If the time between two polls is shorter, as in the demo, it is the length of a step. */
const demoIntervalMs = 10_000;

/**
 * The length of a step of the trends (docs/status-page.md): 15 minutes, or less if the schedule polls often. A trend
 * then covers minutes instead of a day.
 */
export function trendStepMs(schedule: CronSchedule): number {
  const { next } = runTimesOf(schedule);
  const firstMs = next(0) ?? 0;
  const intervalMs = (next(firstMs) ?? Infinity) - firstMs;
  return intervalMs < demoIntervalMs ? intervalMs : usualStepMs;
}

/**
 * The end of a local day, excluded: the first instant of the next day. If a gap skips midnight, the next day begins
 * after the gap.
 *
 * @param date such as `2026-12-31`
 * @returns milliseconds since the Unix epoch
 */
export function endOfDayMs(date: string, timezone: string): number {
  const nextDay = new Date(Date.parse(date) + dayMs);
  const expression = `0 0 ${nextDay.getUTCDate()} ${nextDay.getUTCMonth() + 1} *`;
  // The day begins at most 14 hours before it does in UTC.
  return runTimesOf({ expression, timezone }).next(Date.parse(date)) ?? Infinity;
}
