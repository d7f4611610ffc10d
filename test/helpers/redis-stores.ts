/** Stores in Redis, as the daemons of a cluster have them. */
import type { Redis } from 'ioredis';
import { RedisStore } from '../../src/cluster/redis-store.ts';
import { collectors } from '../../src/collectors/collectors.ts';
import type { TargetRecord } from '../../src/model/record.ts';

/** The account of `quotaRecord`. */
export const account = 'production';

export function redisStore(redis: Redis, cluster: string): RedisStore {
  return new RedisStore({ redis, cluster, collectors });
}

/** A store that runs the cycle of each account that it saves a record of. */
export class BegunStore extends RedisStore {
  readonly #begun = new Set<string>();
  readonly #beginning = new Map<string, Promise<unknown>>();

  static async open(redis: Redis, cluster: string): Promise<BegunStore> {
    const store = new BegunStore({ redis, cluster, collectors });
    await store.#beginOnce(account);
    return store;
  }

  override async save(record: TargetRecord): Promise<void> {
    const name = record.target.account;
    if (!this.#begun.has(name)) await this.#beginOnce(name);
    await super.save(record);
  }

  async #beginOnce(name: string): Promise<void> {
    const beginning = this.#beginning.get(name) ?? this.begin(name, 'member', 0);
    this.#beginning.set(name, beginning);
    await beginning;
    this.#begun.add(name);
  }
}
