/** What the service last said about a target. A collector's own snapshots add the data. */
export interface Snapshot {
  /** The kind of the collector that read it. */
  readonly kind: string;
  /** The account's number at the service; `null` where the answer does not say it. */
  readonly appId: number | null;
  /**
   * What is missing in the answer, in short sentences for people; empty for a complete answer. Missing
   * data is unknown: no change is inferred from it, and it is never shown as fine.
   */
  readonly missing: readonly string[];
}
