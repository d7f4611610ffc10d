/** The emulator's time: milliseconds since the Unix epoch. */
export interface Clock {
  readonly now: () => number;
}

/** A clock that stands still until it is told otherwise. */
export interface ManualClock extends Clock {
  /** Moves the clock forward by `ms` milliseconds. */
  readonly advance: (ms: number) => void;
}

/**
 * A clock for tests.
 *
 * @param startMs milliseconds since the Unix epoch; by default 2023-11-14T22:13:20Z
 */
export function createManualClock(startMs = 1_700_000_000_000): ManualClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}
