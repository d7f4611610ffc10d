/** The cycles of accounts as jobs of the engine, with a real Redis. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engineConnection } from '../../../src/cluster/connection.ts';
import { Cycles } from '../../../src/cluster/cycles.ts';
import type { RunningCycle } from '../../../src/cluster/turn.ts';
import { silentLogger } from '../../helpers/silent-logger.ts';
import { hasRedis, redisOfFile } from '../../helpers/redis.ts';
import { redisStore } from '../../helpers/redis-stores.ts';

const dueMs = 1_000;
const due = { account: 'production', dueMs, delayMs: 0 };

describe.skipIf(!hasRedis)('the jobs of a cluster', () => {
  const redis = redisOfFile();

  const daemon = (cluster: string, run: (cycle: RunningCycle) => Promise<void>) => {
    const connection = engineConnection({ host: '127.0.0.1', port: redis().port });
    const cycles = new Cycles({
      redis: connection,
      store: redisStore(redis().connect(), cluster),
      cluster,
      member: randomUUID(),
      lockMs: 2_000,
      run,
      logger: silentLogger,
    });
    cycles.start();
    onTestFinished(async () => {
      await cycles.stop();
      connection.disconnect();
    });
    return cycles;
  };

  it('runs a cycle once, however many daemons add it', async () => {
    const cluster = redis().newCluster();
    const begun: number[] = [];
    const run = ({ dueMs: at }: RunningCycle) => {
      begun.push(at ?? 0);
      return Promise.resolve();
    };
    const [a, b] = [daemon(cluster, run), daemon(cluster, run)];

    await Promise.all([a.add([due]), b.add([due])]);
    await expect.poll(() => begun).toEqual([dueMs]);
    await Promise.all([a.add([due]), b.add([due])]);
    await b.add([{ ...due, account: 'staging' }]);

    await expect.poll(() => begun).toHaveLength(2);
  });
});
