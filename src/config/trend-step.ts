import { usualStepMs } from '../model/trend.ts';
import { cronRuns, type CronSchedule } from './cron-runs.ts';

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
