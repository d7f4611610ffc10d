/** Loaded into a daemon before it starts. Answers each message with its figures up to now. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { cpuMs, reply } from './side.ts';

const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();

export interface Figures {
  readonly cpuMs: number;
  readonly residentMiB: number;
  /** How long the event loop was blocked at most since the message before. */
  readonly longestBlockMs: number;
}

reply((): Figures => {
  const longestBlockMs = delays.max / 1e6 - resolutionMs;
  delays.reset();
  return { cpuMs: cpuMs(), residentMiB: process.memoryUsage.rss() / 2 ** 20, longestBlockMs };
});
process.channel?.unref();
