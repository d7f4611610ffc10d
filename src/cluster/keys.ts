/** The names of the keys in Redis, for the other files of this folder. `docs/scaling.md` lists them for operators. */

/** The keys of one account. */
export function accountKeys(cluster: string, account: string) {
  const prefix = `${cluster}:{${account}}`;
  return {
    /** Hash: the state of the account's cycle, such as its daemon and its epoch. `scripts.ts` has the fields. */
    cycle: `${prefix}:cycle`,
    /** Hash: each record with its times, by the key of its target. */
    records: `${prefix}:records`,
    /** Sorted set: the revision of each record. It is at least the time of the write in microseconds. */
    revisions: `${prefix}:revisions`,
    /** Hash: texts that hold no record, for a person to look at. Daemons only write it. */
    damaged: `${prefix}:damaged`,
  };
}

/** The keys of a cluster as a whole. */
export function clusterKeys(cluster: string) {
  const prefix = `{${cluster}}`;
  return {
    /** String: the cluster ID. A new one shows that Redis was emptied. */
    id: `${prefix}:id`,
    /** Sorted set: the accounts, by the revision of the last change of anything of theirs. */
    accounts: `${prefix}:accounts`,
    /** Hash: the last heartbeat of each daemon, by the daemon's ID. */
    members: `${prefix}:members`,
    /** The prefix of the keys of the job engine. */
    engine: prefix,
    ofAccount: (account: string) => accountKeys(cluster, account),
  };
}
