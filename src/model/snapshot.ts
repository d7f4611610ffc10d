/** The last answer of the service about a target. The snapshots of a collector add the data. */
export interface Snapshot {
  /** The account's number at the service. `null` or absent if the answer does not contain it. */
  readonly appId?: number | null | undefined;
  /**
   * The missing parts of the answer, as short sentences for people. Empty for a complete answer. A missing part
   * is unknown: it causes no change, and it is never shown as fine.
   */
  readonly missing: readonly string[];
}
