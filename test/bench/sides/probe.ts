/** Loaded into a daemon before it starts: tells how long its event loop was blocked at most. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { reply } from './side.ts';

const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();

// Each message begins a new count; the answer is the longest block of the one before.
reply(() => {
  const longestMs = delays.max / 1e6 - resolutionMs;
  delays.reset();
  return longestMs;
});
process.channel?.unref();
