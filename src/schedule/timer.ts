import type { Clock } from '../model/clock.ts';
import type { RunTimes } from './run-times.ts';

/** Decides when a cycle is due. */
export interface Schedule {
  /**
   * Calls `onDue` at every run. After a time in which the process did not run, the latest run of that
   * time is due at once, and `onMissed` gets the number of the runs before it.
   */
  start(onDue: () => void, onMissed: (runs: number) => void): void;
  stop(): void;
  /** The next run; milliseconds since the Unix epoch, `null` when there is none or it is stopped. */
  nextRunMs(): number | null;
}

/** Runs are counted one by one, so counting stops at this number. */
export const maxMissed = 1_000;

/**
 * Decides what to do at `nowMs` while the schedule waits for `expectedMs`. The next run is always
 * computed from now: so runs never pile up, and they go on after the clock was set back.
 */
export function planTick(expectedMs: number, nowMs: number, runs: RunTimes) {
  const isDue = nowMs >= expectedMs;
  return {
    isDue,
    missed: isDue ? runs.between(expectedMs, nowMs, maxMissed) : 0,
    nextMs: runs.next(nowMs),
  };
}

/** Timers do not advance while a machine sleeps, so the time is checked at least this often. */
const maxTimerMs = 30_000;

/** Waits for each run with timers. */
export class TimedSchedule implements Schedule {
  readonly #runs: RunTimes;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;
  #nextMs: number | null = null;

  constructor(runs: RunTimes, clock: Clock) {
    this.#runs = runs;
    this.#clock = clock;
  }

  start(onDue: () => void, onMissed: (runs: number) => void): void {
    this.#nextMs = this.#runs.next(this.#clock.now());
    this.#wait(() => {
      if (this.#nextMs === null) return;
      const { isDue, missed, nextMs } = planTick(this.#nextMs, this.#clock.now(), this.#runs);
      this.#nextMs = nextMs;
      if (missed > 0) onMissed(missed);
      if (isDue) onDue();
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#nextMs = null;
  }

  nextRunMs(): number | null {
    return this.#nextMs;
  }

  #wait(tick: () => void): void {
    if (this.#nextMs === null) return;
    const delayMs = Math.max(0, this.#nextMs - this.#clock.now());
    const end = () => {
      tick();
      this.#wait(tick);
    };
    this.#timer = setTimeout(end, Math.min(delayMs, maxTimerMs));
  }
}
