/** Requests that this process handled late, because it had too little CPU time. */
import { onTestFinished } from 'vitest';

/** A daemon expects that a request arrives within 250 ms. */
const longestDelayMs = 150;
/** How long before a request the delays count: requests wait behind one another. */
const backlogMs = 500;
const periodMs = 10;

interface Delay {
  readonly endMs: number;
  readonly durationMs: number;
}

/** Watches the event loop until the end of the test. */
export function watchArrivals(): {
  /** @param atMs when this process handled the request, in milliseconds since the Unix epoch */
  readonly isSlow: (atMs: number) => boolean;
} {
  const delays: Delay[] = [];
  let lastMs = Date.now();
  const timer = setInterval(() => {
    const endMs = Date.now();
    const durationMs = endMs - lastMs - periodMs;
    if (durationMs > periodMs) delays.push({ endMs, durationMs });
    lastMs = endMs;
  }, periodMs);
  onTestFinished(() => {
    clearInterval(timer);
  });
  return {
    isSlow: (atMs) => {
      // The delay in which the request was handled ends after it.
      const recent = delays.filter(
        ({ durationMs, endMs }) => endMs > atMs - backlogMs && endMs - durationMs <= atMs,
      );
      return recent.reduce((sum, { durationMs }) => sum + durationMs, 0) > longestDelayMs;
    },
  };
}
