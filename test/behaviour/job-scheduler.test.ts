/** Why the cycles of a cluster are no jobs of a job scheduler of the engine. */
import { Queue, Worker } from 'bullmq';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { hasRedis, startRedis } from '../support/redis.ts';

test.runIf(hasRedis)(
  'a job scheduler of BullMQ runs the next job of a schedule while a longer one still runs',
  async () => {
    const redis = await startRedis();
    const connection = { host: '127.0.0.1', port: redis.port, maxRetriesPerRequest: null };
    const queue = new Queue('cycles', { connection });
    let running = 0;
    let most = 0;
    const workers = Array.from(
      { length: 2 },
      () =>
        new Worker(
          'cycles',
          async () => {
            running += 1;
            most = Math.max(most, running);
            await delay(1_000);
            running -= 1;
          },
          { connection },
        ),
    );
    onTestFinished(async () => {
      await Promise.all([...workers, queue].map((each) => each.close()));
    });

    await queue.upsertJobScheduler('production', { every: 300 });

    await expect.poll(() => most).toBe(2);
  },
);
