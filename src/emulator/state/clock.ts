/**
 * The clock of the emulator, which callers of `emulator.ts` can replace. The service and the `Date` header go by it. The
 * emulator shares only `validation/` with the daemon, so `model/clock.ts` is another interface.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** A clock that moves only by {@link ManualClock.advance}. */
export interface ManualClock extends Clock {
  /**
   * Moves the clock forward by `ms` milliseconds.
   *
   * @throws RangeError when `ms` is not a finite number
   */
  readonly advance: (ms: number) => void;
}

/**
 * A clock for tests.
 *
 * @param startMs milliseconds since the Unix epoch. Defaults to the present time, so that a client that
 *   signs with the time of this machine is accepted.
 */
export function createManualClock(startMs: number = Date.now()): ManualClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance: (ms) => {
      if (!Number.isFinite(ms)) throw new RangeError(`expected milliseconds, found ${ms}`);
      nowMs += ms;
    },
  };
}
