/**
 * When the cycles of a cluster are due, by its schedule and the clock of Redis. `cluster/` asks for each account, and
 * all members compute the same.
 */
import { runTimesOf, lastRun, type CronSchedule, type RunTimes } from './run-times.ts';
import type { Clock } from '../model/clock.ts';
import { memoizePerObject } from '../model/memoize.ts';
import { maxMissed } from './cycle-timer.ts';

export interface DueTimesOptions {
  /** The clock of this machine, corrected by that of Redis. */
  readonly clock: Clock;
  readonly random: () => number;
  /** The present schedule, with the maximum random delay before each cycle. */
  readonly schedule: () => CronSchedule & { readonly jitterMs: number };
}

export type DueTimes = ReturnType<typeof createDueTimes>;

/** The due times of the present schedule: the runs of its cron expression. All are milliseconds since the epoch. */
export function createDueTimes({ clock, random, schedule }: DueTimesOptions) {
  const runsOf = memoizePerObject(runTimesOf);
  /**
   * The next run after a second; `null` if there is none. Memoized: many accounts ask in one second. Runs are at whole
   * seconds.
   */
  const nextAfter = memoizePerObject((runs: RunTimes, second: number) => runs.next(second * 1_000));
  /** The latest due time before the next one. Memoized, because every account asks for it, and it takes long to compute. */
  const lastBefore = memoizePerObject((runs: RunTimes, nextMs: number) =>
    nextMs === Infinity ? null : lastRun(runs, nextMs - 1),
  );
  const runs = () => runsOf(schedule());
  /** The next due time; `Infinity` if there is none. */
  const nextMs = () => nextAfter(runs(), Math.floor(clock.now() / 1_000)) ?? Infinity;
  /** The latest due time up to now; `null` if there was none in the last 9 years, or if there is no next one. */
  const lastDueMs = () => lastBefore(runs(), nextMs());

  return {
    lastDueMs,
    /** Milliseconds until the next cycle begins: until it is due, and a random delay of at most the jitter. */
    untilNextMs: () =>
      Math.max(0, nextMs() - clock.now()) + Math.floor(schedule().jitterMs * random()),
    /**
     * How many cycles did not run between two due times; 0 if one of them is `null`.
     *
     * @param finishedMs the due time of the last finished cycle; `null` if there was none
     * @param dueMs the due time of the present cycle; `null` for a cycle that only polls new targets, at any time
     */
    countMissed: (finishedMs: number | null, dueMs: number | null) => {
      if (finishedMs === null || dueMs === null) return 0;
      return runs().countBetween(finishedMs, dueMs - 1, maxMissed);
    },
    /**
     * Since when a cycle waits for a daemon: the first due time after the last finished cycle or, if none has finished,
     * the latest due time. `null` if there is none up to now, or the jitter after it has not passed.
     *
     * @param finishedMs as in `countMissed`
     */
    waitingSinceMs: (finishedMs: number | null) => {
      const sinceMs = finishedMs === null ? lastDueMs() : runs().next(finishedMs);
      const isWaiting = sinceMs !== null && sinceMs <= clock.now() - schedule().jitterMs;
      return isWaiting ? sinceMs : null;
    },
  };
}
