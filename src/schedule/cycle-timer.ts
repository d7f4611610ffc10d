/** The timer of a daemon's cycles: tells the poller when one is due. With a cluster, `due-times.ts` says it. */
import type { Clock } from '../model/clock.ts';
import { runTimesOf, type CronSchedule, type RunTimes } from './run-times.ts';

/** The most runs that count as missed at once. They are counted one by one. */
export const maxMissed = 1_000;

/** Timers do not advance while a machine sleeps, so the time is checked at least this often. */
const maxTimerMs = 30_000;

/** Says when cycles are due. */
export type CycleTimer = Pick<CronTimer, keyof CronTimer>;

/** Follows a cron expression with `setTimeout`, against a clock: robust to a sleep of the machine and to changes of the clock. */
export class CronTimer {
  readonly #clock: Clock;
  #cron: CronSchedule;
  #runs: RunTimes;
  #timer: NodeJS.Timeout | undefined;
  #nextMs: number | null = null;
  /** `null` while the timer is stopped. */
  #onDue: ((missed: number) => void) | null = null;

  constructor(cron: CronSchedule, clock: Clock) {
    this.#clock = clock;
    this.#cron = cron;
    this.#runs = runTimesOf(cron);
  }

  /**
   * Calls `onDue` at every run. After a time in which the process did not run, the latest run of that time is due at
   * once, and `missed` is the number of the runs before it, else 0. `nextRunMs()` is already the run after it when it is
   * called.
   */
  start(onDue: (missed: number) => void): void {
    this.#onDue = onDue;
    this.#begin();
  }

  /** Follows another expression or time zone from now on. Returns whether it differs from the one before. */
  configure({ expression, timezone }: CronSchedule): boolean {
    if (expression === this.#cron.expression && timezone === this.#cron.timezone) return false;
    this.#cron = { expression, timezone };
    this.#runs = runTimesOf(this.#cron);
    if (this.#onDue !== null) this.#begin();
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#onDue = null;
    this.#nextMs = null;
  }

  /**
   * The next run, in milliseconds since the Unix epoch; `null` if there is none or the timer is stopped. The poller
   * lets the retries of a running cycle go on until then.
   */
  nextRunMs(): number | null {
    return this.#nextMs;
  }

  #begin(): void {
    this.#nextMs = this.#runs.next(this.#clock.now());
    this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#nextMs === null) return;
    const delayMs = Math.max(0, this.#nextMs - this.#clock.now());
    this.#timer = setTimeout(this.#check, Math.min(delayMs, maxTimerMs));
  }

  /** Says that a run is due, if so, and waits for the next one. */
  readonly #check = (): void => {
    const nowMs = this.#clock.now();
    const expectedMs = this.#nextMs ?? Infinity;
    // Always computed from now: so runs never pile up, and they go on after the clock was set back.
    this.#nextMs = this.#runs.next(nowMs);
    const isDue = nowMs >= expectedMs;
    if (isDue) this.#onDue?.(this.#runs.countBetween(expectedMs, nowMs, maxMissed));
    this.#wait();
  };
}
