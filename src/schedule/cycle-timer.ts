/**
 * The timer of a daemon's cycles. The poller starts it, and begins cycles when they are due; the daemon configures and
 * stops it. With a cluster, jobs begin the cycles by `due-times.ts`, and the timer only adds a round to a cycle that
 * still runs.
 */
import type { Clock } from '../model/clock.ts';
import { runTimesOf, type CronSchedule, type RunTimes } from './run-times.ts';

/** At most so many runs count as missed at once, because they are counted one by one. */
export const maxMissed = 1_000;

/** Timers do not advance while a machine sleeps, so the time is checked at least this often. */
const maxTimerMs = 30_000;

/** The public methods of a {@link CronTimer}, for tests that replace it. */
export type CycleTimer = Pick<CronTimer, keyof CronTimer>;

/** Follows a cron expression with `setTimeout`, against a clock: robust to a sleep of the machine and to changes of the clock. */
export class CronTimer {
  readonly #clock: Clock;
  #cron: CronSchedule;
  /** The run times of `#cron`. */
  #runs: RunTimes;
  #timer: NodeJS.Timeout | undefined;
  /** The next run. `null` if there is none, or while the timer is stopped. */
  #nextMs: number | null = null;
  /** `null` while the timer is stopped. */
  #onDue: ((missed: number) => void) | null = null;

  constructor(cron: CronSchedule, clock: Clock) {
    this.#clock = clock;
    this.#cron = cron;
    this.#runs = runTimesOf(cron);
  }

  /**
   * Calls `onDue` at every run. `missed` is 0 as a rule. After a time in which the process did not run, `onDue` is
   * called once, and `missed` is the number of further runs in that time, at most {@link maxMissed}. When it is called,
   * `nextRunMs()` is already the run after this one.
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

  /** Calls `onDue` if a run is due, and waits for the next run. */
  readonly #check = (): void => {
    const nowMs = this.#clock.now();
    const expectedMs = this.#nextMs ?? Infinity;
    // Always computed from now, also if no run is due: so runs never pile up, and they go on after the clock was set back.
    this.#nextMs = this.#runs.next(nowMs);
    const isDue = nowMs >= expectedMs;
    if (isDue) this.#onDue?.(this.#runs.countBetween(expectedMs, nowMs, maxMissed));
    this.#wait();
  };
}
