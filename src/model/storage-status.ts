/** What pages and metrics show of the storage. */
export interface StorageStatus {
  /** The number of saves that failed. */
  readonly failures: number;
  /** The number of stored texts that hold no record. */
  readonly damaged: number;
  /** The number of records whose last save failed. */
  readonly unwritten: number;
  /** Why records cannot be stored at present; `null` while they can. */
  readonly problem: string | null;
}
