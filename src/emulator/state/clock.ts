/** Milliseconds since the Unix epoch. */
export interface Clock {
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
      refuseNonFinite(ms);
      nowMs += ms;
    },
  };
}

/** A clock that follows another one, and can skip time. */
export class SkippingClock implements Clock {
  /** The clock that it follows. */
  readonly source: Clock;
  #skippedMs = 0;

  constructor(source: Clock) {
    this.source = source;
  }

  /** The skipped time so far, in milliseconds. */
  get skippedMs(): number {
    return this.#skippedMs;
  }

  now(): number {
    return this.source.now() + this.#skippedMs;
  }

  /** @throws RangeError when `ms` is not a finite number, or is negative */
  skip(ms: number): void {
    refuseNonFinite(ms);
    if (ms < 0) throw new RangeError(`time cannot go back by ${-ms} ms`);
    this.#skippedMs += ms;
  }

  /** Removes the skipped time. */
  reset(): void {
    this.#skippedMs = 0;
  }
}

function refuseNonFinite(ms: number): void {
  if (!Number.isFinite(ms)) throw new RangeError(`expected milliseconds, found ${ms}`);
}
