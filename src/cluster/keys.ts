/** The keys in Redis; docs/scaling.md lists them. */

/** The keys of one account. */
export function accountKeys(cluster: string, account: string) {
  const prefix = `${cluster}:{${account}}`;
  return {
    /** Hash: who runs the cycle of the account, and its epoch. */
    cycle: `${prefix}:cycle`,
    /** Hash: the text of each record, by the key of its target. */
    records: `${prefix}:records`,
    /** Sorted set: the revision of each record. It is at least the time of the write in microseconds. */
    revisions: `${prefix}:revisions`,
    /** Hash: texts that hold no record, for a person to look at. */
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
    /** Hash: what each daemon tells the others, by its ID. */
    members: `${prefix}:members`,
    /** The prefix of the keys of the job engine. */
    engine: prefix,
  };
}
