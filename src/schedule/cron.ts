/**
 * Checks the cron expression of a configuration for its schema, and measures how far its runs are apart for
 * `check-config` and the daemon.
 */
import { validateDetailed } from 'node-cron';
import { usualStepMs } from '../model/trend.ts';
import { runTimesOf, type CronSchedule } from './run-times.ts';

const example = 'write for example "*/5 * * * *"';
/** node-cron takes seconds for a list of some thousand characters. */
const maxLength = 256;

/**
 * The mistake in a cron expression, for the error of the configuration. `null` if it is valid and has runs. The text does
 * not repeat the expression, which may be a secret at the wrong key.
 */
export function cronProblem(expression: string): string | null {
  if (expression.length > maxLength) return `is longer than ${maxLength} characters; ${example}`;
  const { errors } = validateDetailed(expression);
  if (errors.length > 0)
    return `invalid ${errors.map(({ field }) => field).join(', ')}; ${example}`;
  // Whether it has runs does not depend on the zone or on the start of the search.
  const firstMs = runTimesOf({ expression, timezone: 'Etc/UTC' }).next(0);
  return firstMs === null ? `never runs; ${example}` : null;
}

/**
 * The shortest time between two of the next runs, in milliseconds; `Infinity` when there are fewer than two. `check-config`
 * says by it whether a cycle fits.
 *
 * @param runs how many are compared. The default is enough for every interval of a week of hourly runs
 */
export function shortestIntervalMs(schedule: CronSchedule, nowMs: number, runs = 200): number {
  const { next: nextRunAfter } = runTimesOf(schedule);
  let shortest = Infinity;
  let runMs = nextRunAfter(nowMs);
  for (let i = 1; i < runs && runMs !== null; i += 1) {
    const followingMs = nextRunAfter(runMs);
    if (followingMs !== null) shortest = Math.min(shortest, followingMs - runMs);
    runMs = followingMs;
  }
  return shortest;
}

/** Only the demo has cycles that are closer than this. */
const demoIntervalMs = 10_000;

/**
 * The length of a step of the trends (docs/status-page.md), in milliseconds: 15 minutes. If the first two runs are less
 * than 10 s apart, as in the demo, it is that interval: a trend then covers minutes instead of a day.
 */
export function trendStepMs(schedule: CronSchedule): number {
  const intervalMs = shortestIntervalMs(schedule, 0, 2);
  return intervalMs < demoIntervalMs ? intervalMs : usualStepMs;
}
