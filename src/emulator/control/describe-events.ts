/** Changes, requests and the timeline as JSON, in the words of a scenario file. */
import { withSnakeCase } from '../input/words.ts';
import type { StateChange } from '../resources/state-change.ts';
import type { ReceivedRequest } from '../service/request-log.ts';
import type { Service } from '../service/service.ts';

export function describeChange({ atMs, ...change }: StateChange) {
  return { at: isoTime(atMs), ...withSnakeCase(change) };
}

export function describeRequest({ atMs, ...request }: ReceivedRequest) {
  return { at: isoTime(atMs), ...withSnakeCase(request) };
}

export function describeTimeline({ elapsedMs, timeline }: Service) {
  const { isPaused, next } = timeline;
  return {
    paused: isPaused,
    elapsed_seconds: elapsedMs / 1000,
    next: next && { in: durationText(next.atElapsedMs - elapsedMs), do: next.entry.do },
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function durationText(ms: number): string {
  return `${ms}ms`;
}
