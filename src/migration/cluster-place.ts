/** The records of a cluster in Redis, for a migration. */
import type { Redis, RedisOptions } from 'ioredis';
import { once } from 'node:events';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { ClusterConfig } from '../config/config.ts';
import { messageOf } from '../model/errors.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey } from '../model/target.ts';
import { parseRecord } from '../state/record-file.ts';
import { StoreError } from '../state/store.ts';
import { CommandProblems, failFastConnection } from '../cluster/connection.ts';
import { accountKeys } from '../cluster/keys.ts';
import { livingMembers } from '../cluster/members.ts';
import type { Contents, Place } from './migration.ts';
import { RedisStore } from '../cluster/redis-store.ts';
import { storedAccounts } from '../cluster/stored-accounts.ts';

const firstAnswerMs = 5_000;
/** How many records are written side by side. */
const writesAtOnce = 64;

export interface ClusterPlaceOptions {
  readonly config: ClusterConfig;
  readonly connection: RedisOptions;
  readonly collectors: CollectorSet;
}

/** @throws StoreError when Redis does not answer, or daemons of the cluster run */
export async function openClusterPlace({ collectors, config, connection }: ClusterPlaceOptions) {
  const { lockMs, name } = config;
  const redis = failFastConnection(connection);
  const address = `${connection.host ?? ''}:${connection.port ?? ''}`;
  const problems = new CommandProblems(redis);
  const answered = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreError) throw error;
      const reason = problems.of(error);
      throw new StoreError('unwritable', `Redis at ${address} does not answer: ${reason}`);
    }
  };
  try {
    const signal = AbortSignal.timeout(firstAnswerMs);
    if (redis.status !== 'ready') {
      await once(redis, 'ready', { signal }).catch(() => {
        const reason = problems.connection;
        throw new StoreError('unwritable', `Redis at ${address} does not answer: ${reason}`);
      });
    }
    const members = await answered(() => livingMembers(redis, name, lockMs));
    if (members > 0) {
      throw new StoreError(
        'locked',
        `${members} daemons of the cluster ${name} run: stop them, and wait for ${lockMs / 1_000} s if they were killed`,
      );
    }
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  const store = new RedisStore({ redis, cluster: name, collectors });
  const place: Place = {
    name: `the cluster ${name} in Redis at ${address}`,
    read: () => answered(() => readAll(redis, name, collectors)),
    write: (account, records) => answered(() => writeAll(store, account, records)),
  };
  return {
    place,
    close: async () => {
      await store.close();
      redis.disconnect();
    },
  };
}

async function readAll(redis: Redis, cluster: string, collectors: CollectorSet): Promise<Contents> {
  const records: TargetRecord[] = [];
  const damaged: { name: string; reason: string }[] = [];
  for (const account of await storedAccounts(redis, cluster)) {
    const texts = await redis.hgetall(accountKeys(cluster, account).records);
    for (const [key, text] of Object.entries(texts)) {
      try {
        const record = parseRecord(text, collectors);
        if (targetKey(record.target) !== key) throw new Error('holds the record of another target');
        records.push(record);
      } catch (error) {
        damaged.push({ name: key, reason: messageOf(error) });
      }
    }
  }
  return { records, damaged };
}

/** As a cycle of the account: a daemon that was suspended can then write nothing. */
async function writeAll(
  store: RedisStore,
  account: string,
  records: readonly TargetRecord[],
): Promise<void> {
  await store.begin(account, 'migration', 0);
  await store.load(records.map(({ target }) => target));
  for (let from = 0; from < records.length; from += writesAtOnce) {
    await Promise.all(records.slice(from, from + writesAtOnce).map((each) => store.save(each)));
  }
  await store.end(account, false);
}
