/** The memory of the model of the protocol does what the scripts do in a real Redis. */
import type { Redis } from 'ioredis';
import { describe } from 'vitest';
import { RedisScripts } from '../../../src/cluster/account-scripts.ts';
import { memoryScripts, MemoryServer } from '../../support/memory-scripts.ts';
import { hasRedis, redisOfFile } from '../../support/redis.ts';
import { describeSameScripts } from './scripts-contract.ts';

describe.skipIf(!hasRedis)('the scripts', () => {
  const redis = redisOfFile();

  let connection: Redis | null = null;
  describeSameScripts('in memory', () => {
    connection ??= redis().connect();
    return {
      redis: new RedisScripts(connection, redis().newCluster()),
      memory: memoryScripts(new MemoryServer(() => Date.now())),
    };
  });
});
