/**
 * Waits until the replicas of Redis have every write before it, so that no daemon shows what a failover would lose.
 * This holds for what other daemons wrote too.
 */
import type { Redis } from 'ioredis';
import { clusterKeys } from './keys.ts';
import { shareRuns } from './share-runs.ts';

/** Maximum time for the replicas to acknowledge. Shorter than that of a command. */
const waitMs = 1_000;

export interface AcknowledgedOptions {
  /** The connection of the calls. */
  readonly redis: Redis;
  readonly cluster: string;
  /** How many replicas must have a write. With 0, nothing is waited for. */
  readonly replicas: number;
}

/** A function that resolves with the result of a call when the replicas have what it saw. */
export function acknowledgedBy({
  cluster,
  redis,
  replicas,
}: AcknowledgedOptions): <T>(call: Promise<T>) => Promise<T> {
  if (replicas === 0) return (call) => call;
  let lostConnections = 0;
  redis.on('close', () => {
    lostConnections += 1;
  });
  const wait = shareRuns(async () => {
    // WAIT is about the writes of its own connection, so this one comes after those of all.
    const results = await redis
      .pipeline()
      .set(clusterKeys(cluster).acknowledged, '1')
      .wait(replicas, waitMs)
      .exec();
    const [error, count] = results?.at(-1) ?? [null, 0];
    if (error !== null) throw error;
    if (Number(count) < replicas) {
      throw new Error(`${Number(count)} of ${replicas} replicas have the last write`);
    }
  });
  return async (call) => {
    const before = lostConnections;
    const result = await call;
    await wait();
    // The next connection may lead to another server.
    if (lostConnections === before) return result;
    throw new Error('the connection was lost before the replicas had the last write');
  };
}
