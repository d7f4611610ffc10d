/** The source of the time: the machine, Redis in a cluster, or a test. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}
