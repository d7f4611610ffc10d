import type { Surroundings } from '../../daemon/surroundings.ts';
import { BoundedCalls } from '../../files/bounded-calls.ts';

/** The surroundings of this process. A command calls this once, because its file calls share the threads. */
export function processSurroundings(): Surroundings {
  return {
    clock: { now: Date.now },
    random: Math.random,
    env: process.env,
    fileCalls: new BoundedCalls(),
  };
}
