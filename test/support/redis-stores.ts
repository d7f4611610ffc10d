/** Stores in Redis, as the daemons of a cluster have them. */
import type { Redis } from 'ioredis';
import { KnownRevisions } from '../../src/cluster/known-revisions.ts';
import { RedisStore, type RedisStoreOptions } from '../../src/cluster/redis-store.ts';
import { storedAccounts } from '../../src/cluster/stored-accounts.ts';
import { collectors } from '../../src/collectors/collectors.ts';
import { targetKey } from '../../src/model/target.ts';
import type { TargetRecord } from '../../src/model/record.ts';
import { StoreError, type StoredRecords } from '../../src/state/store.ts';

/** The account of `quotaRecord`. */
export const account = 'production';

const nothing = { id: '', revision: 0 };

export function redisStore(redis: Redis, cluster: string): SavingStore {
  return new SavingStore({ redis, cluster, collectors });
}

/** A store that saves what continues the record that it read or saved last, as a daemon does. */
export class SavingStore extends RedisStore {
  readonly #options: RedisStoreOptions;
  readonly #revisions = new KnownRevisions();

  constructor(options: RedisStoreOptions) {
    super(options);
    this.#options = options;
  }

  override async begin(name: string, member: string, dueMs: number) {
    const begun = await super.begin(name, member, dueMs);
    if (begun !== null) this.#revisions.identified(name, begun.id);
    return begun;
  }

  override async changed(known: Parameters<RedisStore['changed']>[0]) {
    const states = await super.changed(known);
    for (const [name, { changed, id }] of states) {
      this.#revisions.identified(name, id);
      for (const { key, revision } of changed) this.#revisions.set(name, key, revision);
    }
    return states;
  }

  /** Every record of the cluster. */
  async load(): Promise<StoredRecords> {
    const { cluster, redis } = this.#options;
    const accounts = await storedAccounts(redis, cluster);
    const states = await this.changed(new Map([...accounts].map((name) => [name, nothing])));
    const all = [...states.values()];
    return {
      records: all.flatMap(({ changed }) => changed.flatMap(({ record }) => record ?? [])),
      damaged: all.flatMap(({ damaged }) => damaged),
    };
  }

  async save(record: TargetRecord): Promise<void> {
    const { target } = record;
    const key = targetKey(target);
    const revision = await this.replace(record, this.#revisions.of(target.account, key));
    if (typeof revision === 'number') {
      this.#revisions.set(target.account, key, revision);
      return;
    }
    if (revision === 'found') await this.changed(new Map([[target.account, nothing]]));
    throw new StoreError('fenced', revision);
  }
}

/** A store that runs the cycle of each account that it saves a record of. */
export class BegunStore extends SavingStore {
  readonly #beginning = new Map<string, Promise<unknown>>();
  readonly #saving = new Set<Promise<unknown>>();

  override async save(record: TargetRecord): Promise<void> {
    const name = record.target.account;
    const beginning = this.#beginning.get(name) ?? this.begin(name, 'member', 0);
    this.#beginning.set(name, beginning);
    const saving = beginning.then(() => super.save(record));
    this.#saving.add(saving);
    await saving.finally(() => this.#saving.delete(saving));
  }

  override async close(): Promise<void> {
    await Promise.allSettled(this.#saving);
    await super.close();
  }
}
