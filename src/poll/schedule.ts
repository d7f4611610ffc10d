import { createTask } from 'node-cron';

/** Something that says when a cycle is due. */
export interface Schedule {
  /** Calls `onDue` at every run, and `onMissed` for every run that the process slept through. */
  start(onDue: () => void, onMissed: () => void): void;
  stop(): void;
  /** The next run; milliseconds since the Unix epoch, `null` when there is none or it is stopped. */
  nextRunMs(): number | null;
}

/**
 * A cron expression, read in a time zone. Runs that fall due while the process is suspended are
 * missed, not made up for, so that cycles never stack.
 */
export function cronSchedule(expression: string, timezone: string): Schedule {
  let onDue: () => void = () => undefined;
  const task = createTask(
    expression,
    () => {
      onDue();
    },
    { timezone, suppressMissedWarning: true },
  );
  return {
    start(due, missed) {
      onDue = due;
      task.on('execution:missed', missed);
      void task.start();
    },
    stop() {
      void task.destroy();
    },
    nextRunMs() {
      return task.getNextRun()?.getTime() ?? null;
    },
  };
}
