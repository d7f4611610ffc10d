/** The cycles of accounts as jobs of the engine, with a real Redis. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engineConnection } from '../../../src/cluster/connection.ts';
import { Cycles } from '../../../src/cluster/cycles.ts';
import type { RunningCycle } from '../../../src/cluster/turn.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import { hasRedis, redisOfFile } from '../../support/redis.ts';
import { redisStore } from '../../support/redis-stores.ts';

const dueMs = 1_000;
const due = { account: 'production', dueMs, delayMs: 0 };

describe.skipIf(!hasRedis)('the jobs of a cluster', () => {
  const redis = redisOfFile();

  const daemon = (
    cluster: string,
    run: (cycle: RunningCycle) => Promise<void>,
    knows: (account: string) => boolean = () => true,
  ) => {
    const connection = engineConnection({ host: '127.0.0.1', port: redis().port });
    const cycles = new Cycles({
      clock: { now: Date.now },
      redis: connection,
      store: redisStore(redis().connect(), cluster),
      cluster,
      member: randomUUID(),
      lockMs: 2_000,
      knows,
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

  it('does not end the cycle of an account that this daemon does not know', async () => {
    const cluster = redis().newCluster();
    const begun: string[] = [];
    const stranger = daemon(
      cluster,
      () => Promise.reject(new Error('unknown')),
      (account) => account === 'staging',
    );
    await stranger.add([due]);
    const store = redisStore(redis().connect(), cluster);
    const jobs = redis().connect();
    await expect.poll(() => jobs.keys(`{${cluster}}:cycles:production@*`)).toEqual([]);
    const known = new Map([['production', { id: '', revision: 0 }]]);
    expect((await store.changed(known)).get('production')?.dueMs).toBe(0);
    await stranger.stop();

    const other = daemon(cluster, ({ account }) => {
      begun.push(account);
      return Promise.resolve();
    });
    await other.add([due]);

    await expect.poll(() => begun).toEqual(['production']);
  });

  it('leaves a cycle to others whose account a reload removes meanwhile', async () => {
    const cluster = redis().newCluster();
    let isKnown = true;
    const a = daemon(
      cluster,
      () => {
        isKnown = false;
        return Promise.resolve();
      },
      () => isKnown,
    );

    await a.add([due]);

    await expect.poll(() => isKnown).toBe(false);
    const store = redisStore(redis().connect(), cluster);
    const known = new Map([['production', { id: '', revision: 0 }]]);
    const state = async () => (await store.changed(known)).get('production');
    await expect.poll(state).toMatchObject({ isRunning: false, dueMs: 0 });
  });

  it('runs a cycle whose job somebody removed while it waited', async () => {
    const cluster = redis().newCluster();
    const begun: string[] = [];
    const a = daemon(cluster, ({ account }) => {
      begun.push(account);
      return Promise.resolve();
    });
    await a.add([{ ...due, delayMs: 3_600_000 }]);
    const jobs = redis().connect();
    await jobs.del(`{${cluster}}:cycles:production@${dueMs}`);
    await jobs.del(`{${cluster}}:cycles:delayed`);

    await a.add([due]);

    await expect.poll(() => begun).toEqual(['production']);
  });
});
