/** The runs of a schedule; instants are in milliseconds since the Unix epoch. */
export interface Runs {
  /** The first run after an instant; `null` when there is none within 50 years. */
  readonly next: (afterMs: number) => number | null;
  /** The number of runs after `afterMs` and up to `untilMs`; at most `limit`. */
  readonly between: (afterMs: number, untilMs: number, limit: number) => number;
}

/** An expression has a run at least in each leap year, if at all. */
const maxWindowMs = 9 * 366 * 24 * 60 * 60 * 1_000;

/** The latest run up to an instant; `null` when there is none in the last years. Pure. */
export function lastRun(runs: Runs, instantMs: number): number | null {
  // The search ends at two neighbouring whole milliseconds.
  const atMs = Math.floor(instantMs);
  const isBeforeARun = (ms: number) => (runs.next(ms) ?? Infinity) <= atMs;
  let windowMs = 1_000;
  while (!isBeforeARun(atMs - windowMs)) {
    windowMs *= 4;
    if (windowMs > maxWindowMs) return null;
  }
  // The last run is the next one after `early`, and not after `late`.
  let early = atMs - windowMs;
  let late = atMs;
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (isBeforeARun(middle)) early = middle;
    else late = middle;
  }
  return runs.next(early);
}
