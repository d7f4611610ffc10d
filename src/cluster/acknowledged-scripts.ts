/**
 * The scripts of a Redis with replicas. What they answer has reached the replicas, so that no daemon shows what a
 * failover would lose. This holds for what other daemons wrote too: the wait covers every write before it.
 */
import type { Redis } from 'ioredis';
import type { AccountScripts } from './account-scripts.ts';
import { acknowledgedKey } from './keys.ts';
import { shareRuns } from './share-runs.ts';

/** Maximum time for the replicas to acknowledge. Shorter than that of a command. */
const waitMs = 1_000;

export interface AcknowledgedOptions {
  /** The connection of the scripts. */
  readonly redis: Redis;
  readonly cluster: string;
  /** How many replicas must have a write. */
  readonly replicas: number;
}

export function acknowledgedScripts(
  scripts: AccountScripts,
  { cluster, redis, replicas }: AcknowledgedOptions,
): AccountScripts {
  let lostConnections = 0;
  redis.on('close', () => {
    lostConnections += 1;
  });
  const wait = shareRuns(async () => {
    // WAIT is about the writes of its own connection, so this one comes after those of all.
    const results = await redis
      .pipeline()
      .set(acknowledgedKey(cluster), '1')
      .wait(replicas, waitMs)
      .exec();
    const [error, count] = results?.at(-1) ?? [null, 0];
    if (error !== null) throw error;
    if (Number(count) < replicas) {
      throw new Error(`${Number(count)} of ${replicas} replicas have the last write`);
    }
  });
  const acknowledged = async <T>(call: Promise<T>): Promise<T> => {
    const before = lostConnections;
    const result = await call;
    await wait();
    // The next connection may lead to another server.
    if (lostConnections === before) return result;
    throw new Error('the connection was lost before the replicas had the last write');
  };
  return {
    begin: (account, cycle) => acknowledged(scripts.begin(account, cycle)),
    extend: (account, epoch, dueMs) => scripts.extend(account, epoch, dueMs),
    end: (account, epoch, isComplete) => scripts.end(account, epoch, isComplete),
    replace: (account, replacement) => acknowledged(scripts.replace(account, replacement)),
    changed: (known) => acknowledged(scripts.changed(known)),
  };
}
