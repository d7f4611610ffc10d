import type { BoundedCalls } from '../files/bounded-calls.ts';
import type { Clock } from '../model/clock.ts';

/** What belongs to the process: time, random numbers, environment variables, and its calls to file systems. */
export interface Surroundings {
  readonly clock: Clock;
  readonly random: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fileCalls: BoundedCalls;
}
