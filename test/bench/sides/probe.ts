/**
 * Loaded into a daemon before it starts. Answers each message with its figures up to now. The message `watch` begins to
 * watch the event loop: its timer costs 13 ms of CPU a second, which no daemon pays whose CPU is measured.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { cpuMs, reply } from './side.ts';

const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });

export interface Figures {
  readonly cpuMs: number;
  readonly residentMiB: number;
  /** How long the event loop was blocked at most since the message before. */
  readonly longestBlockMs: number;
}

reply((message): Figures => {
  if (message === 'watch') delays.enable();
  const longestBlockMs = delays.max / 1e6 - resolutionMs;
  delays.reset();
  return { cpuMs: cpuMs(), residentMiB: process.memoryUsage.rss() / 2 ** 20, longestBlockMs };
});
process.channel?.unref();
