/** Checks the schedule of a configuration, and measures it. */
import { messageOf } from '../model/errors.ts';
import { usualStepMs } from '../model/trend.ts';
import { cronRuns, type CronSchedule } from './cron-runs.ts';

/** The mistake in an expression. `null` when it is valid and has runs. */
export function cronProblem(expression: string): string | null {
  try {
    // Whether it has runs does not depend on the zone or on the start of the search.
    const firstMs = cronRuns({ expression, timezone: 'Etc/UTC' }).next(0);
    return firstMs === null ? 'never runs' : null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Whether the runtime knows a time zone. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Enough for every interval of a week of hourly runs. */
const comparedRuns = 200;

/**
 * The shortest time between two of the next runs; `Infinity` when there are fewer than two.
 *
 * @returns milliseconds
 */
export function shortestIntervalMs(schedule: CronSchedule, nowMs: number): number {
  const { next } = cronRuns(schedule);
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
const shortestUsualMs = 10_000;

/**
 * The length of a step of the trends (docs/status-page.md): 15 minutes, or less if the schedule polls often. A trend
 * then covers minutes instead of a day.
 */
export function trendStepMs(schedule: CronSchedule): number {
  const runs = cronRuns(schedule);
  const first = runs.next(0);
  const second = first === null ? null : runs.next(first);
  if (first === null || second === null) return usualStepMs;
  return second - first < shortestUsualMs ? second - first : usualStepMs;
}
