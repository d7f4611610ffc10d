/** Stores in Redis, as the daemons of a cluster have them. */
import type { Redis } from 'ioredis';
import { RedisStore } from '../../src/cluster/redis-store.ts';
import { collectors } from '../../src/collectors/collectors.ts';
import type { TargetRecord } from '../../src/model/record.ts';
import { targetKey } from '../../src/model/target.ts';
import type { Store } from '../../src/storage/file-store.ts';

/** The account of `quotaRecord`. */
export const account = 'production';

export function redisStore(redis: Redis, cluster: string): SavingStore {
  return new SavingStore({ redis, collectors, config: { name: cluster, lockMs: 1_000 } });
}

/** A store that saves what continues the record that it read or saved last, as a daemon does. */
export class SavingStore extends RedisStore {
  readonly #revisions = new Map<string, number>();
  /** By account: the epoch of its cycle. */
  readonly #begun = new Map<string, number>();

  /** Begins a cycle in the cluster that Redis has. */
  async beginAs(name: string, member: string, dueMs: number | null = null) {
    const { id } = await this.readChanges(0);
    const begun = await this.beginCycle(name, { member, dueMs, id });
    if (typeof begun !== 'string') this.#begun.set(name, begun.epoch);
    return begun;
  }

  /** Ends the cycle that it has begun. */
  async endBegun(
    name: string,
    finishedDueMs: number | null = null,
    gone: readonly string[] = [],
  ): Promise<void> {
    await this.endCycle(name, this.#begun.get(name) ?? 0, finishedDueMs, gone);
    this.#begun.delete(name);
  }

  /** Every record of the cluster. */
  async load(): ReturnType<Store['load']> {
    const records: TargetRecord[] = [];
    let damaged = 0;
    for (const name of (await this.readChanges(0)).revisions.keys()) {
      const { revisions } = await this.readAccount(name);
      for await (const { key, record, revision } of this.readRecords(name, [...revisions])) {
        this.#revisions.set(key, revision);
        if (record instanceof Error) damaged += 1;
        else records.push(record);
      }
    }
    return { records, damaged };
  }

  async save(record: TargetRecord): Promise<void> {
    const key = targetKey(record.target);
    const epoch = this.#begun.get(record.target.account) ?? 0;
    const revision = await this.replace(record, epoch, this.#revisions.get(key) ?? 0);
    if (typeof revision !== 'number') {
      if (revision === 'conflict') await this.load();
      throw new Error(revision);
    }
    this.#revisions.set(key, revision);
  }
}

/** A store that runs the cycle of each account that it saves a record of. */
export class BegunStore extends SavingStore {
  readonly #beginning = new Map<string, Promise<unknown>>();

  override async save(record: TargetRecord): Promise<void> {
    const name = record.target.account;
    const beginning = this.#beginning.get(name) ?? this.beginAs(name, 'member');
    this.#beginning.set(name, beginning);
    await beginning.then(() => super.save(record));
  }
}
