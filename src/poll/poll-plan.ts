import type { Target } from '../model/target.ts';
import type { Schedule } from './schedule.ts';

/** The poll settings of a configuration. A reload replaces them. */
export interface PollPlan {
  readonly targets: readonly Target[];
  /** Those of them that the answers of another target found, by the key of that target. */
  readonly found: ReadonlyMap<string, readonly Target[]>;
  readonly schedule: Schedule;
  readonly jitterMs: number;
  /** The least time for the retries of a cycle, also when the next run is due sooner. */
  readonly minDeadlineMs: number;
  /** The length of a step of the trends. */
  readonly trendStepMs: number;
}

/** When the retries of polls end that begin now. */
export function deadlineMs({ minDeadlineMs, schedule }: PollPlan, nowMs: number): number {
  return Math.max(schedule.nextRunMs() ?? 0, nowMs + minDeadlineMs);
}
