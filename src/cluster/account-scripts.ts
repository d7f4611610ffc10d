/** What Redis does for one account as a whole: each call runs one script, and no other daemon acts meanwhile. */
import type { Redis } from 'ioredis';
import { accountKeys, type AccountKeys } from './keys.ts';
import { listOf } from './script.ts';
import { beginScript, changedScript, endScript, extendScript, replaceScript } from './scripts.ts';

/** A cycle that a daemon began. */
export interface BegunCycle {
  readonly epoch: number;
  /** Of the account. Another one than before means that Redis was emptied. */
  readonly id: string;
  /** Of the cycle before; 0 for the first cycle. */
  readonly formerEpoch: number;
  /** The daemon of the cycle before; empty for the first cycle. */
  readonly formerMember: string;
  /** Whether that daemon had not ended its cycle. */
  readonly isTakenOver: boolean;
  /** Time since the end of the cycle before; 0 when it had not ended. */
  readonly idleMs: number;
  /** The due time of the last complete cycle, `null` before the first one. */
  readonly finishedDueMs: number | null;
}

/** What is known of an account's records. */
export interface Known {
  readonly id: string;
  readonly revision: number;
}

/** A record as it is stored, with the revision that wrote it. */
export interface StoredText {
  readonly key: string;
  readonly revision: number;
  readonly text: string;
}

/** An account as Redis has it. Times are milliseconds since the Unix epoch. */
export interface StoredAccount extends Known {
  /** The daemon of the last cycle; empty before the first one. */
  readonly member: string;
  readonly isRunning: boolean;
  readonly begunAtMs: number;
  /** The latest due time whose cycle has begun and was not given up; 0 before the first one. */
  readonly dueMs: number;
  readonly changed: readonly StoredText[];
}

/** A record that is to be stored. */
export interface Replacement {
  readonly epoch: number;
  readonly key: string;
  /** The revision of the stored record; 0 when none is stored. */
  readonly revision: number;
  readonly text: string;
}

/** `fenced`: another epoch began. `found`: the stored record has another revision. */
export type Refusal = 'fenced' | 'found';

export interface AccountScripts {
  /**
   * Begins the cycle of an account. The former daemon can no longer write.
   *
   * @param dueMs 0 for a cycle that the schedule does not ask for
   * @param newId the ID of the account if it has none
   * @returns `null` when the cycle of this due time was finished before
   */
  begin(
    account: string,
    cycle: { readonly member: string; readonly dueMs: number; readonly newId: string },
  ): Promise<BegunCycle | null>;
  /** The running cycle also serves a later due time. */
  extend(account: string, epoch: number, dueMs: number): Promise<void>;
  /** Ends a cycle. It is not begun again if it is complete: every target was polled. */
  end(account: string, epoch: number, isComplete: boolean): Promise<void>;
  /**
   * Replaces a record. The same replacement can be repeated.
   *
   * @returns the new revision
   */
  replace(account: string, replacement: Replacement): Promise<number | Refusal>;
  /**
   * The records that changed since what is known of each account; all records of an account with another ID, or
   * with an earlier revision. Takes one round trip.
   */
  changed(known: ReadonlyMap<string, Known>): Promise<ReadonlyMap<string, StoredAccount>>;
}

export class RedisScripts implements AccountScripts {
  readonly #redis: Redis;
  readonly #cluster: string;

  constructor(redis: Redis, cluster: string) {
    this.#redis = redis;
    this.#cluster = cluster;
  }

  async begin(
    account: string,
    { dueMs, member, newId }: Parameters<AccountScripts['begin']>[1],
  ): Promise<BegunCycle | null> {
    const keys = [this.#keysOf(account).cycle];
    const cycle = listOf(await beginScript.run(this.#redis, keys, [member, dueMs, newId]));
    if (cycle === null) return null;
    const [epoch, id, formerMember, isTakenOver, idleMs, finished, formerEpoch] = cycle;
    return {
      epoch: Number(epoch),
      id: String(id),
      formerEpoch: Number(formerEpoch),
      formerMember: String(formerMember),
      isTakenOver: Number(isTakenOver) === 1,
      idleMs: Number(idleMs),
      finishedDueMs: Number(finished) || null,
    };
  }

  async extend(account: string, epoch: number, dueMs: number): Promise<void> {
    await extendScript.run(this.#redis, [this.#keysOf(account).cycle], [epoch, dueMs]);
  }

  async end(account: string, epoch: number, isComplete: boolean): Promise<void> {
    const args = [epoch, isComplete ? 1 : 0];
    await endScript.run(this.#redis, [this.#keysOf(account).cycle], args);
  }

  async replace(
    account: string,
    { epoch, key, revision, text }: Replacement,
  ): Promise<number | Refusal> {
    const { cycle, records, revisions, written } = this.#keysOf(account);
    const keys = [cycle, records, revisions, written];
    const result = Number(await replaceScript.run(this.#redis, keys, [epoch, key, revision, text]));
    if (result === -1) return 'fenced';
    return result === -2 ? 'found' : result;
  }

  async changed(known: ReadonlyMap<string, Known>): Promise<ReadonlyMap<string, StoredAccount>> {
    const accounts = [...known];
    const answers = await changedScript.runAll(
      this.#redis,
      accounts.map(([account, { id, revision }]) => {
        const { cycle, records, revisions } = this.#keysOf(account);
        return { keys: [cycle, records, revisions], args: [id, revision] };
      }),
    );
    const stored = new Map<string, StoredAccount>();
    accounts.forEach(([account], i) => {
      const answer = listOf(answers[i]);
      if (answer !== null) stored.set(account, storedAccount(answer));
    });
    return stored;
  }

  #keysOf(account: string): AccountKeys {
    return accountKeys(this.#cluster, account);
  }
}

function storedAccount(answer: readonly unknown[]): StoredAccount {
  const [id, revision, member, running, begun, due, ...rest] = answer;
  const changed: StoredText[] = [];
  for (let i = 0; i < rest.length; i += 3) {
    changed.push({
      key: String(rest[i]),
      revision: Number(rest[i + 1]),
      text: String(rest[i + 2]),
    });
  }
  return {
    id: String(id),
    revision: Number(revision),
    member: String(member),
    isRunning: running === '1',
    begunAtMs: Number(begun),
    dueMs: Number(due),
    changed,
  };
}
