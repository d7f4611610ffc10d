import { Cron } from 'croner';

/** When polling happens: a cron expression of 5 or 6 fields, read in a time zone. */
export interface CronSchedule {
  readonly expression: string;
  /** An IANA name such as `Europe/Berlin`. */
  readonly timezone: string;
}

/** What is wrong with an expression, or `null` when it is a schedule that has runs. */
export function cronProblem(expression: string): string | null {
  const fields = expression.split(/\s+/).filter((field) => field !== '').length;
  // Nicknames and dates would be understood too, but not by every other reader of the file.
  if (fields !== 5 && fields !== 6) return `has ${fields} ${fields === 1 ? 'field' : 'fields'}`;
  try {
    const isPossible = new Cron(expression).nextRun() !== null;
    return isPossible ? null : 'never runs';
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.replace(/^CronPattern: /, '').toLowerCase();
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
export function shortestIntervalMs({ expression, timezone }: CronSchedule): number {
  const runs = new Cron(expression, { timezone }).nextRuns(200).map((run) => run.getTime());
  const intervals = runs.slice(1).map((run, i) => run - (runs[i] ?? run));
  return Math.min(...intervals);
}
