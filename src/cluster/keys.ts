/** The keys in Redis; docs/scaling.md lists them. */

/** The keys of one account. */
export interface AccountKeys {
  /** Hash: who runs the cycle of the account, and its epoch. */
  readonly cycle: string;
  /** Hash: the text of each record, by the key of its target. */
  readonly records: string;
  /** Sorted set: the revision of each record. It is at least the time of the write in microseconds. */
  readonly revisions: string;
  /** Hash: texts that hold no record, for a person to look at. */
  readonly damaged: string;
}

export function accountKeys(cluster: string, account: string): AccountKeys {
  const prefix = `${cluster}:{${account}}`;
  return {
    cycle: `${prefix}:cycle`,
    records: `${prefix}:records`,
    revisions: `${prefix}:revisions`,
    damaged: `${prefix}:damaged`,
  };
}

/** The keys of a cluster as a whole. */
export function clusterKeys(cluster: string) {
  const prefix = `{${cluster}}`;
  return {
    /** String: a new one shows that Redis was emptied. */
    id: `${prefix}:id`,
    /** Sorted set: the accounts, by the revision of the last change of anything of theirs. */
    accounts: `${prefix}:accounts`,
    heard: `${prefix}:heard`,
    members: `${prefix}:members`,
    /** The prefix of the keys of the job engine. */
    engine: prefix,
  };
}
