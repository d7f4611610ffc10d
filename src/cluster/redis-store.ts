/** Keeps records in Redis. Only the daemon that runs the cycle of an account can replace its records. */
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { messageOf } from '../model/errors.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { formatRecord, parseRecord } from '../state/record-file.ts';
import {
  closedError,
  FoundRecordError,
  StoreError,
  type DamagedFile,
  type LoadReport,
  type Store,
} from '../state/store.ts';
import { removeGoneRecords } from './gone-records.ts';
import { accountKeys, type AccountKeys } from './keys.ts';
import { KnownRevisions } from './known-revisions.ts';
import { listOf } from './script.ts';
import { beginScript, changedScript, endScript, extendScript, replaceScript } from './scripts.ts';

export interface RedisStoreOptions {
  /** Fails a command at once while it has no connection. */
  readonly redis: Redis;
  /** The name of the cluster. */
  readonly cluster: string;
  readonly collectors: CollectorSet;
}

/** A cycle that this daemon began. */
export interface BegunCycle {
  readonly epoch: number;
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

/** A record with the revision that wrote it. */
export interface RevisedRecord {
  readonly key: string;
  readonly revision: number;
  /** `null` for a damaged record. */
  readonly record: TargetRecord | null;
}

/** An account as Redis has it. Times are milliseconds since the Unix epoch. */
export interface AccountState extends Known {
  /** The daemon of the last cycle; empty before the first one. */
  readonly member: string;
  readonly isRunning: boolean;
  readonly begunAtMs: number;
  /** The latest due time whose cycle has begun; 0 before the first one. */
  readonly dueMs: number;
  readonly changed: readonly RevisedRecord[];
  readonly damaged: readonly DamagedFile[];
}

export class RedisStore implements Store {
  readonly generation = 0;
  readonly #options: RedisStoreOptions;
  /** The epoch of each account whose cycle this daemon runs. */
  readonly #epochs = new Map<string, number>();
  readonly #revisions = new KnownRevisions();
  readonly #saves = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(options: RedisStoreOptions) {
    this.#options = options;
  }

  /** The host and the port of Redis. */
  get address(): string {
    const { host, port } = this.#options.redis.options;
    return `${host ?? ''}:${port ?? ''}`;
  }

  /**
   * Begins the cycle of an account. The former daemon can no longer write.
   *
   * @param dueMs 0 for a cycle that the schedule does not ask for
   * @returns `null` when the cycle of this due time was finished before
   */
  async begin(account: string, member: string, dueMs: number): Promise<BegunCycle | null> {
    const { redis } = this.#options;
    const keys = [this.#keysOf(account).cycle];
    const answer = await beginScript.run(redis, keys, [member, dueMs, randomUUID()]);
    const cycle = listOf(answer);
    if (cycle === null) return null;
    const [epoch, id, formerMember, isTakenOver, idleMs, finished] = cycle;
    this.#epochs.set(account, Number(epoch));
    this.#revisions.identified(account, String(id));
    return {
      epoch: Number(epoch),
      formerMember: String(formerMember),
      isTakenOver: Number(isTakenOver) === 1,
      idleMs: Number(idleMs),
      finishedDueMs: Number(finished) || null,
    };
  }

  /** The running cycle of an account also serves a later due time. */
  async extend(account: string, dueMs: number): Promise<void> {
    const epoch = this.#epochs.get(account);
    if (epoch === undefined) return;
    await extendScript.run(this.#options.redis, [this.#keysOf(account).cycle], [epoch, dueMs]);
  }

  /** Ends the cycle of an account. It is not begun again if every target was polled. */
  async end(account: string, isComplete: boolean): Promise<void> {
    const epoch = this.#epochs.get(account);
    if (epoch === undefined) return;
    this.#epochs.delete(account);
    const args = [epoch, isComplete ? 1 : 0];
    await endScript.run(this.#options.redis, [this.#keysOf(account).cycle], args);
  }

  /** This daemon can no longer write the records of an account. */
  lose(account: string): void {
    this.#epochs.delete(account);
  }

  /** The records that changed since what is known of each account. Takes one round trip. */
  async changed(known: ReadonlyMap<string, Known>): Promise<ReadonlyMap<string, AccountState>> {
    if (this.#isClosed) throw closedError();
    const accounts = [...known];
    const answers = await changedScript.runAll(
      this.#options.redis,
      accounts.map(([account, { id, revision }]) => {
        const { cycle, records, revisions } = this.#keysOf(account);
        return { keys: [cycle, records, revisions], args: [id, revision] };
      }),
    );
    const states = new Map<string, AccountState>();
    accounts.forEach(([account], i) => {
      const answer = listOf(answers[i]);
      if (answer !== null) states.set(account, this.#stateOf(account, answer));
    });
    return states;
  }

  async load(targets: readonly Target[]): Promise<LoadReport> {
    const none = { id: '', revision: 0 };
    const accounts = new Map(targets.map(({ account }) => [account, none]));
    const states = [...(await this.changed(accounts)).values()];
    const wanted = new Set(targets.map(targetKey));
    const all = states.flatMap(({ changed }) => changed);
    const records = all.flatMap(({ key, record }) =>
      record !== null && wanted.has(key) ? [record] : [],
    );
    return { records, damaged: states.flatMap(({ damaged }) => damaged), unread: [] };
  }

  async save(record: TargetRecord): Promise<void> {
    await this.replace(record);
  }

  /**
   * Replaces the record of a target, as `save` does.
   *
   * @returns its revision
   * @throws StoreError `fenced` when this daemon does not run the cycle of the account
   */
  async replace(record: TargetRecord): Promise<number> {
    if (this.#isClosed) throw closedError();
    const saving = this.#replace(record);
    this.#saves.add(saving);
    try {
      return await saving;
    } finally {
      this.#saves.delete(saving);
    }
  }

  removeGone(isLive: (target: Target) => boolean): Promise<readonly string[]> {
    return removeGoneRecords({ ...this.#options, isLive });
  }

  /** Forgets nothing: there are as many revisions as stored records. */
  keepOnly(): void {
    return undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#saves);
  }

  async #replace(record: TargetRecord): Promise<number> {
    const { account } = record.target;
    const key = targetKey(record.target);
    const epoch = this.#epochs.get(account);
    if (epoch === undefined) throw fencedError(account);
    const { cycle, records, revisions, written } = this.#keysOf(account);
    const revision = Number(
      await replaceScript.run(
        this.#options.redis,
        [cycle, records, revisions, written],
        [epoch, key, this.#revisions.of(account, key), formatRecord(record)],
      ),
    );
    if (revision === -1) throw fencedError(account);
    if (revision === -2) throw await this.#foundError(record);
    this.#revisions.set(account, key, revision);
    return revision;
  }

  async #foundError(record: TargetRecord): Promise<StoreError> {
    const name = targetKey(record.target);
    // From now on, the stored record is known, so that the next save replaces it.
    this.#revisions.forget(record.target.account, name);
    const { records } = await this.load([record.target]);
    const [found] = records;
    return found === undefined
      ? new StoreError('found', `${name} has another revision than expected`)
      : new FoundRecordError(name, found);
  }

  #stateOf(account: string, answer: readonly unknown[]): AccountState {
    const [id, revision, member, running, begun, due, ...rest] = answer;
    const changed: RevisedRecord[] = [];
    const damaged: DamagedFile[] = [];
    this.#revisions.identified(account, String(id));
    for (let i = 0; i < rest.length; i += 3) {
      const key = String(rest[i]);
      const recordRevision = Number(rest[i + 1]);
      this.#revisions.set(account, key, recordRevision);
      const record = this.#parse(account, key, String(rest[i + 2]), damaged);
      changed.push({ key, revision: recordRevision, record });
    }
    return {
      id: String(id),
      revision: Number(revision),
      member: String(member),
      isRunning: running === '1',
      begunAtMs: Number(begun),
      dueMs: Number(due),
      changed,
      damaged,
    };
  }

  /** A text that holds no record is kept apart, because the next poll replaces it. */
  #parse(account: string, key: string, text: string, damaged: DamagedFile[]): TargetRecord | null {
    try {
      const record = parseRecord(text, this.#options.collectors);
      if (targetKey(record.target) === key) return record;
      throw new Error(`holds the record of another target: ${targetKey(record.target)}`);
    } catch (error) {
      const movedTo = this.#keysOf(account).damaged;
      damaged.push({ file: key, movedTo, reason: messageOf(error) });
      // Without the copy, the record starts over all the same.
      void this.#options.redis.hset(movedTo, key, text).catch(() => undefined);
      return null;
    }
  }

  #keysOf(account: string): AccountKeys {
    return accountKeys(this.#options.cluster, account);
  }
}

function fencedError(account: string): StoreError {
  return new StoreError('fenced', `another daemon runs the cycle of the account ${account}`);
}
