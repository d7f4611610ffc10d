/** The passing of time, as a daemon measures it. */
export interface Timers {
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
  /** Calls once. The result cancels it. */
  readonly after: (delayMs: number, call: () => void) => () => void;
}

export const systemTimers: Timers = {
  now: () => performance.now(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Resolves after a time, or when the signal aborts. */
export function pause(timers: Timers, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.after(delayMs, end);
    signal.addEventListener('abort', end);
  });
}
