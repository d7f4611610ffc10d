import { createTask } from 'node-cron';

/** When polling happens: a cron expression of 5 or 6 fields, read in a time zone. */
export interface CronSchedule {
  readonly expression: string;
  /** An IANA name such as `Europe/Berlin`. */
  readonly timezone: string;
}

/** What is wrong with an expression, or `null` when it is a schedule that has runs. */
export function cronProblem(expression: string): string | null {
  try {
    void createTask(expression, () => undefined).destroy();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
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

/**
 * The shortest time between two runs among those that come next; `Infinity` when fewer than two do.
 *
 * @returns milliseconds
 */
export function shortestIntervalMs(schedule: CronSchedule): number {
  const runs = nextRuns(schedule, 200).map((run) => run.getTime());
  const intervals = runs.slice(1).map((run, i) => run - (runs[i] ?? run));
  return Math.min(...intervals);
}

function nextRuns({ expression, timezone }: CronSchedule, count: number): Date[] {
  const task = createTask(expression, () => undefined, { timezone });
  const runs = task.getNextRuns(count);
  void task.destroy();
  return runs;
}
