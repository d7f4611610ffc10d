/** Why the cycles of an account are one job that is delayed, and no job scheduler of the engine. */
import { setTimeout as delay } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { hasRedis, startRedis } from '../../support/redis.ts';

test.runIf(hasRedis)(
  'a job scheduler of the engine gives a due time to another daemon while a long cycle runs',
  async () => {
    const { port } = await startRedis();
    const connection = { host: '127.0.0.1', port };
    const queue = new Queue('cycles', { connection });
    const running = new Set<string>();
    let most = 0;
    const workers = ['one', 'other'].map(
      (daemon) =>
        new Worker(
          'cycles',
          async () => {
            most = Math.max(most, running.add(daemon).size);
            await delay(3_000);
            running.delete(daemon);
          },
          { connection },
        ),
    );
    onTestFinished(async () => {
      await Promise.all(workers.map((worker) => worker.close(true)));
      await queue.close();
    });

    await queue.upsertJobScheduler('account', { every: 1_000 });

    await expect.poll(() => most).toBe(2);
  },
);
