/** A daemon of a cluster. */
export interface ClusterMember {
  /** Its host and process. */
  readonly name: string;
  /** Identifies the content of its configuration. */
  readonly configuration: string;
  readonly version: string;
  /** In milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  /** Time since it was heard of. */
  readonly silentMs: number;
  readonly isThis: boolean;
}

/** The cycles of an account. Times are milliseconds since the Unix epoch. */
export interface ClusterAccount {
  readonly account: string;
  /** The name of the daemon of the last cycle; `null` when it is no member any more, or there was no cycle. */
  readonly polledBy: string | null;
  readonly isRunning: boolean;
  readonly begunAtMs: number | null;
  /** Since when a cycle is due that no daemon has begun; `null` when there is none. */
  readonly waitingSinceMs: number | null;
}

/** What a daemon knows of the daemons with which it shares the accounts. */
export interface ClusterStatus {
  readonly members: readonly ClusterMember[];
  readonly accounts: readonly ClusterAccount[];
  /** How many cycles this daemon took over from silent ones. */
  readonly takenOver: number;
  /** Why Redis cannot be used; `null` while it can. */
  readonly problem: string | null;
}
