/** Milliseconds since the Unix epoch. */
export interface Clock {
  readonly now: () => number;
}

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /**
   * Moves the clock by `ms` milliseconds.
   *
   * @throws RangeError when `ms` is not a finite number
   */
  readonly advance: (ms: number) => void;
}

/**
 * A clock for tests.
 *
 * @param startMs milliseconds since the Unix epoch; by default the present time, so that a client that
 *   signs by the time of this machine is let in
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

/** A clock that runs with another one, from which time can be skipped. */
export class SkippingClock implements Clock {
  /** The clock it runs with. */
  readonly source: Clock;
  #skippedMs = 0;

  constructor(source: Clock) {
    this.source = source;
  }

  /** Milliseconds that were skipped so far. */
  get skippedMs(): number {
    return this.#skippedMs;
  }

  now(): number {
    return this.source.now() + this.#skippedMs;
  }

  /** @throws RangeError when `ms` is not a finite number, or negative */
  skip(ms: number): void {
    refuseNonFinite(ms);
    if (ms < 0) throw new RangeError(`time cannot go back by ${-ms} ms`);
    this.#skippedMs += ms;
  }

  /** Forgets what was skipped. */
  reset(): void {
    this.#skippedMs = 0;
  }
}

function refuseNonFinite(ms: number): void {
  if (!Number.isFinite(ms)) throw new RangeError(`expected milliseconds, found ${ms}`);
}
