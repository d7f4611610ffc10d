/** The state of a cluster, as one of its daemons knows it. `cluster/` fills it; page, JSON and metrics show it. */

/** A daemon of a cluster. */
export interface ClusterMember {
  /** Random: a restarted daemon has another one. */
  readonly id: string;
  /** The host and process. */
  readonly name: string;
  /** A hash of the configuration: equal if the contents are. */
  readonly configuration: string;
  readonly version: string;
  /** In milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  /** Time since its last heartbeat. */
  readonly silentMs: number;
  /** Whether it is the daemon that answers. */
  readonly isThis: boolean;
}

/** The cycles of an account. Times are milliseconds since the Unix epoch. */
export interface ClusterAccount {
  readonly account: string;
  /** The name of the daemon of the last cycle; `null` when it is no member any more, or there was no cycle. */
  readonly polledBy: string | null;
  /** Since when a cycle is due that no daemon has begun; `null` when there is none. */
  readonly waitingSinceMs: number | null;
}

/** What a daemon knows of the daemons with which it shares the accounts. */
export interface ClusterStatus {
  readonly members: readonly ClusterMember[];
  /** A function, because there may be many, and most readers need none. */
  readonly accounts: () => readonly ClusterAccount[];
  /** How long a daemon may be silent before its cycles are given to another. */
  readonly lockMs: number;
  /** How many cycles this daemon took over from silent ones. */
  readonly takenOver: number;
  /** Why Redis cannot be used; `null` while it can. */
  readonly problem: string | null;
}

/** The daemons that were heard of within the time of the lock. While Redis cannot be asked, they become fewer. */
export function membersHeard({ lockMs, members }: ClusterStatus): readonly ClusterMember[] {
  return members.filter(({ silentMs }) => silentMs <= lockMs);
}

/** How many different configurations the members have, by their hashes. More than 1 is a problem. */
export function countConfigurations(members: readonly ClusterMember[]): number {
  return new Set(members.map(({ configuration }) => configuration)).size;
}

/** How much longer than the lock a cycle may wait: a take-over lasts for the lock and 2 s. */
const graceMs = 10_000;

/** The accounts whose cycle waits for a daemon longer than a take-over lasts: something is wrong. */
export function lateCycles({ accounts, lockMs }: ClusterStatus, nowMs: number) {
  return accounts().filter(({ waitingSinceMs }) => {
    return waitingSinceMs !== null && nowMs - waitingSinceMs > lockMs + graceMs;
  });
}
