/** What the service last said about a target. A collector's own snapshots add the figures. */
export interface Snapshot {
  /** The kind of the collector that read it. */
  readonly kind: string;
  /** The account's number at the service; `null` where the answer does not tell it. */
  readonly appId: number | null;
  /**
   * What the answer should have told and did not, in short sentences for people; empty for a complete
   * answer. What is missing is unknown: no change is inferred from it, and nothing reads as fine.
   */
  readonly missing: readonly string[];
}
