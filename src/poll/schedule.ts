import { createTask, parse, type ScheduledTask } from 'node-cron';
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

/** Answers for times in milliseconds since the Unix epoch. */
export interface Runs {
  /** The next run after the present; `null` when there is none. */
  readonly next: (nowMs: number) => number | null;
  /** How many runs lie after the one time and not after the other; at most {@link maxMissed}. */
  readonly between: (afterMs: number, untilMs: number) => number;
}

/** What is to be done when a timer for a run has ended. */
export interface Beat {
  readonly isDue: boolean;
  /** How many runs before the due one have passed; at most {@link maxMissed}. */
  readonly missed: number;
  readonly nextMs: number | null;
}

/** Runs are counted one by one, and nobody needs to know the exact number of so many. */
export const maxMissed = 1_000;

/**
 * Decides what a time means for a schedule that waits for `expectedMs`. The next run is always
 * found from now, so that runs never stack, and a clock that was set back does not stop them.
 */
export function planBeat(expectedMs: number, nowMs: number, runs: Runs): Beat {
  const isDue = nowMs >= expectedMs;
  return {
    isDue,
    missed: isDue ? runs.between(expectedMs, nowMs) : 0,
    nextMs: runs.next(nowMs),
  };
}

const hourMs = 3_600_000;

/** A cron expression, and the IANA name of the time zone that it is read in. */
interface CronExpression {
  readonly expression: string;
  readonly timezone: string;
}

/**
 * The runs of a cron expression. node-cron takes a time of an hour that comes twice for its second
 * passage; the first is found here, and the second left to schedules that run at every hour.
 */
function cronRuns(task: ScheduledTask, { expression, timezone }: CronExpression): Runs {
  const stepMs = expression.trim().split(/\s+/).length === 6 ? 1_000 : 60_000;
  const runsAtEveryHour = parse(expression).hour.length === 24;
  const hour = new Intl.DateTimeFormat('en', { timeZone: timezone, hour: '2-digit' });
  const isSecondPassage = (ms: number) => hour.format(ms) === hour.format(ms - hourMs);
  return {
    next: (nowMs) => {
      const [nextMs, afterNextMs] = task.getNextRuns(2).map((run) => run.getTime());
      if (nextMs === undefined) return null;
      const firstPassageMs = nextMs - hourMs;
      if (firstPassageMs > nowMs && task.match(new Date(firstPassageMs))) return firstPassageMs;
      return !runsAtEveryHour && isSecondPassage(nextMs) ? (afterNextMs ?? null) : nextMs;
    },
    between: (afterMs, untilMs) => {
      const steps = Math.min(maxMissed, Math.floor((untilMs - afterMs) / stepMs));
      const times = Array.from({ length: steps }, (_, i) => afterMs + (i + 1) * stepMs);
      return times.filter((timeMs) => task.match(new Date(timeMs))).length;
    },
  };
}

/** Timers stand still while a machine sleeps, and are looked at again after this at the latest. */
const maxTimerMs = 30_000;

/**
 * A cron expression of 5 or 6 fields, read in a time zone. When clocks are set back, a schedule of
 * a fixed hour runs once in the hour that comes twice, and one of every hour runs on without a gap.
 * A run that falls into an hour that is left out does not take place.
 */
export class CronSchedule implements Schedule {
  readonly #task: ScheduledTask;
  readonly #runs: Runs;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;
  #nextMs: number | null = null;

  /** @param clock has the time of the process: node-cron counts from that */
  constructor({ expression, timezone }: CronExpression, clock: Clock) {
    this.#task = createTask(expression, () => undefined, { timezone });
    this.#runs = cronRuns(this.#task, { expression, timezone });
    this.#clock = clock;
  }

  start(onDue: () => void, onMissed: (runs: number) => void): void {
    this.#nextMs = this.#runs.next(this.#clock.now());
    this.#wait(() => {
      if (this.#nextMs === null) return;
      const { isDue, missed, nextMs } = planBeat(this.#nextMs, this.#clock.now(), this.#runs);
      this.#nextMs = nextMs;
      if (missed > 0) onMissed(missed);
      if (isDue) onDue();
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    void this.#task.destroy();
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
