import { usualStepMs } from '../model/trend.ts';
import { cronRuns, type CronSchedule } from './cron-runs.ts';

/** A schedule that runs more often than this is a rehearsal, such as the demo. */
const rehearsalMs = 10_000;

/**
 * The length of a step of the trends (docs/trend.md): 15 minutes, or the time between two runs of a rehearsal,
 * so that it shows in minutes what a day shows.
 */
export function trendStepMs(schedule: CronSchedule): number {
  const runs = cronRuns(schedule);
  const first = runs.next(0);
  const second = first === null ? null : runs.next(first);
  if (first === null || second === null) return usualStepMs;
  return second - first < rehearsalMs ? second - first : usualStepMs;
}
