/**
 * The keys in Redis; docs/scaling.md lists them. The braces are the hash tag of Redis Cluster: what has the same
 * text in braces is kept on one server.
 */

/** The keys of one account, in the order in which the scripts take them. */
export interface AccountKeys {
  /** Hash: who runs the cycle of the account, and the epoch and the revision of its records. */
  readonly cycle: string;
  /** Hash: the text of each record, by the key of its target. */
  readonly records: string;
  /** Sorted set: the revision of each record. */
  readonly revisions: string;
  /** Sorted set: when each record was written, by the clock of Redis. */
  readonly written: string;
  /** Hash: texts that hold no record, for a person to look at. */
  readonly damaged: string;
}

export function accountKeys(cluster: string, account: string): AccountKeys {
  const prefix = `${cluster}:{${account}}`;
  return {
    cycle: `${prefix}:cycle`,
    records: `${prefix}:records`,
    revisions: `${prefix}:revisions`,
    written: `${prefix}:written`,
    damaged: `${prefix}:damaged`,
  };
}

/** The keys of the daemons of a cluster. */
export function memberKeys(cluster: string) {
  return { heard: `{${cluster}}:heard`, members: `{${cluster}}:members` };
}

/** Written before each wait for the replicas. */
export const acknowledgedKey = (cluster: string): string => `{${cluster}}:acknowledged`;

/** The prefix of the keys of the job engine. */
export const enginePrefix = (cluster: string): string => `{${cluster}}`;
