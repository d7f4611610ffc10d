/** The runs of a schedule; instants are in milliseconds since the Unix epoch. */
export interface Runs {
  /** The first run after an instant; `null` when there is none within 50 years. */
  readonly next: (afterMs: number) => number | null;
  /** The number of runs after `afterMs` and up to `untilMs`; at most `limit`. */
  readonly between: (afterMs: number, untilMs: number, limit: number) => number;
}
