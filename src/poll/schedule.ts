import { Cron } from 'croner';
import type { Clock } from '../model/clock.ts';

/** Something that says when a cycle is due. */
export interface Schedule {
  /**
   * Calls `onDue` at every run. After a time in which the process did not run, the latest of the
   * runs that fell into it is due at once, and `onMissed` is told how many came before that one.
   */
  start(onDue: () => void, onMissed: (runs: number) => void): void;
  stop(): void;
  /** The next run; milliseconds since the Unix epoch, `null` when there is none or it is stopped. */
  nextRunMs(): number | null;
}

/** A run after a given time, both in milliseconds since the Unix epoch; `null` when there is none. */
export type RunAfter = (ms: number) => number | null;

/** What is to be done when a timer for a run has ended. */
export interface Beat {
  readonly isDue: boolean;
  /** How many runs before the due one have passed; at most {@link maxMissed}. */
  readonly missed: number;
  readonly nextMs: number | null;
}

/** Finding a run takes a fraction of a millisecond, and nobody needs to know the exact number. */
export const maxMissed = 1_000;

/**
 * Decides what a time means for a schedule that waits for `expectedMs`. The next run is always
 * found from now, so that runs never stack, and a clock that was set back does not stop them.
 */
export function planBeat(expectedMs: number, nowMs: number, runAfter: RunAfter): Beat {
  const nextMs = runAfter(nowMs);
  if (nowMs < expectedMs) return { isDue: false, missed: 0, nextMs };
  let missed = 0;
  let runMs = runAfter(expectedMs);
  while (runMs !== null && runMs <= nowMs && missed < maxMissed) {
    missed += 1;
    runMs = runAfter(runMs);
  }
  return { isDue: true, missed, nextMs };
}

/** Timers stand still while a machine sleeps, and are looked at again after this at the latest. */
const maxTimerMs = 30_000;

/**
 * A cron expression of 5 or 6 fields, read in a time zone. When clocks are set back, a schedule of
 * a fixed hour runs once in the hour that comes twice, and one of every hour runs on without a gap;
 * what falls into an hour that is left out runs at its end.
 */
export class CronSchedule implements Schedule {
  readonly #runAfter: RunAfter;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;
  #nextMs: number | null = null;

  constructor({ expression, timezone }: { expression: string; timezone: string }, clock: Clock) {
    const cron = new Cron(expression, { timezone });
    this.#runAfter = (ms) => cron.nextRun(new Date(ms))?.getTime() ?? null;
    this.#clock = clock;
  }

  start(onDue: () => void, onMissed: (runs: number) => void): void {
    this.#nextMs = this.#runAfter(this.#clock.now());
    this.#wait(() => {
      if (this.#nextMs === null) return;
      const { isDue, missed, nextMs } = planBeat(this.#nextMs, this.#clock.now(), this.#runAfter);
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

  #wait(beat: () => void): void {
    if (this.#nextMs === null) return;
    const delayMs = Math.max(0, this.#nextMs - this.#clock.now());
    this.#timer = setTimeout(
      () => {
        beat();
        this.#wait(beat);
      },
      Math.min(delayMs, maxTimerMs),
    );
  }
}
