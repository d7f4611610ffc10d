/** Keeps records in Redis. Only the daemon that runs the cycle of an account can replace its records. */
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { messageOf } from '../model/errors.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { formatRecord, parseRecord } from '../state/record-file.ts';
import { StoreError, type DamagedRecord } from '../state/store.ts';
import {
  RedisScripts,
  type AccountScripts,
  type BegunCycle,
  type Known,
  type Refusal,
  type StoredAccount,
} from './account-scripts.ts';
import { acknowledgedScripts } from './acknowledged-scripts.ts';
import { removeGoneRecords } from './gone-records.ts';
import { accountKeys } from './keys.ts';
import type { OwnCycle } from './turn.ts';

export interface RedisStoreOptions {
  /** Fails a command at once while it has no connection. */
  readonly redis: Redis;
  /** The name of the cluster. */
  readonly cluster: string;
  readonly collectors: CollectorSet;
  /** How many replicas must have a record before it is shown. Default: 0. */
  readonly replicas?: number;
  /** Default: those of `redis`. */
  readonly scripts?: AccountScripts;
}

/** A record with the revision that wrote it. */
export interface RevisedRecord {
  readonly key: string;
  readonly revision: number;
  /** `null` for a damaged record. */
  readonly record: TargetRecord | null;
}

/** An account as Redis has it, with its records. */
export interface AccountState extends Omit<StoredAccount, 'changed'> {
  readonly changed: readonly RevisedRecord[];
  readonly damaged: readonly DamagedRecord[];
}

export class RedisStore {
  readonly #options: RedisStoreOptions;
  readonly #scripts: AccountScripts;
  /** The cycles that this daemon runs, by account. */
  readonly #cycles = new Map<string, BegunCycle>();
  /** The epoch of the last cycle in which this daemon may have sent requests, by account. */
  readonly #lastEpochs = new Map<string, number>();
  readonly #saves = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(options: RedisStoreOptions) {
    this.#options = options;
    const { cluster, redis, replicas = 0 } = options;
    const scripts = options.scripts ?? new RedisScripts(redis, cluster);
    this.#scripts =
      replicas === 0 ? scripts : acknowledgedScripts(scripts, { redis, cluster, replicas });
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
  async begin(account: string, member: string, dueMs: number): Promise<OwnCycle | null> {
    const begun = await this.#scripts.begin(account, { member, dueMs, newId: randomUUID() });
    if (begun === null) return null;
    const { formerEpoch } = begun;
    const isNext = formerEpoch === 0 || formerEpoch === this.#lastEpochs.get(account);
    this.#cycles.set(account, begun);
    return { ...begun, isNext };
  }

  /** This daemon sends requests from now on: those of the former one no longer count. */
  sends(account: string): void {
    const epoch = this.#cycles.get(account)?.epoch;
    if (epoch !== undefined) this.#lastEpochs.set(account, epoch);
  }

  /** The running cycle of an account also serves a later due time. */
  async extend(account: string, dueMs: number): Promise<void> {
    const epoch = this.#cycles.get(account)?.epoch;
    if (epoch !== undefined) await this.#scripts.extend(account, epoch, dueMs);
  }

  /** Ends the cycle of an account. It is not begun again if every target was polled. */
  async end(account: string, isComplete: boolean): Promise<void> {
    const cycle = this.#cycles.get(account);
    this.#cycles.delete(account);
    if (cycle === undefined) return;
    const { epoch, isTakenOver } = cycle;
    // The former daemon may still send: who comes next must wait it out, as if this cycle had not been.
    if (isTakenOver && this.#lastEpochs.get(account) !== epoch) return;
    await this.#scripts.end(account, epoch, isComplete);
  }

  /** The records that changed since what is known of each account. Takes one round trip. */
  async changed(known: ReadonlyMap<string, Known>): Promise<ReadonlyMap<string, AccountState>> {
    if (this.#isClosed) throw new StoreError('closed', 'the store is closed');
    const stored = [...(await this.#scripts.changed(known))];
    return new Map(stored.map(([account, each]) => [account, this.#stateOf(account, each)]));
  }

  /**
   * Replaces the record of a target, if this daemon runs the cycle of its account.
   *
   * @param expected the revision of the record that it continues; 0 when none is stored
   * @returns its revision
   */
  async replace(record: TargetRecord, expected: number): Promise<number | Refusal> {
    if (this.#isClosed) throw new StoreError('closed', 'the store is closed');
    const saving = this.#replace(record, expected);
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

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#saves);
  }

  async #replace(record: TargetRecord, revision: number): Promise<number | Refusal> {
    const { account } = record.target;
    const epoch = this.#cycles.get(account)?.epoch;
    if (epoch === undefined) return 'fenced';
    const key = targetKey(record.target);
    const text = formatRecord(record);
    return this.#scripts.replace(account, { epoch, key, revision, text });
  }

  #stateOf(account: string, stored: StoredAccount): AccountState {
    const damaged: DamagedRecord[] = [];
    const changed = stored.changed.map(({ key, revision, text }) => ({
      key,
      revision,
      record: this.#parse(account, key, text, damaged),
    }));
    return { ...stored, changed, damaged };
  }

  /** A text that holds no record is kept apart, because the next poll replaces it. */
  #parse(
    account: string,
    key: string,
    text: string,
    damaged: DamagedRecord[],
  ): TargetRecord | null {
    try {
      const record = parseRecord(text, this.#options.collectors);
      if (targetKey(record.target) === key) return record;
      throw new Error(`holds the record of another target: ${targetKey(record.target)}`);
    } catch (error) {
      const movedTo = accountKeys(this.#options.cluster, account).damaged;
      damaged.push({ file: key, movedTo, reason: messageOf(error) });
      // Without the copy, the record starts over all the same.
      void this.#options.redis.hset(movedTo, key, text).catch(() => undefined);
      return null;
    }
  }
}
