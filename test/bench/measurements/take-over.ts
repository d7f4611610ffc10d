/** From the death of a daemon to the cycles that another daemon of its cluster begins in its place. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { accountKeys } from '../../../src/cluster/keys.ts';
import { startEmulator } from '../../../src/emulator/emulator.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { figure, median, type Measurement } from '../harness.ts';
import type { Workbench } from '../workbench.ts';

const lockSeconds = 3;
const cluster = 'bench';
const account = 'production';
/** Longer than a take-over, so that the daemon dies in the middle of a cycle. */
const latencyMs = 9_000;

export const takeOver: Measurement = {
  name: 'take-over',
  async run({ rounds }, workbench) {
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round += 1) seconds.push(await takenOver(workbench));
    return [
      {
        what: `take-over of the cycle of a killed daemon, \`lock\` ${lockSeconds} s`,
        ours: figure(median(seconds), 's'),
        beside: '',
        values: seconds,
        goal: { bound: 'at most', value: lockSeconds + 2, unit: 's' },
      },
    ];
  },
};

async function takenOver(workbench: Workbench): Promise<number> {
  const server = await RedisServer.start();
  workbench.atEnd(() => server.remove());
  const emulator = await startEmulator();
  workbench.atEnd(() => emulator.close());
  emulator.faults.add({
    effect: 'latency',
    latency: { min: `${latencyMs}ms`, max: `${latencyMs}ms` },
  });
  const file = join(await workbench.directory(), 'config.yaml');
  const config = {
    poll: { schedule: '0 0 1 1 *' },
    api: { endpoint: emulator.url },
    cluster: { name: cluster, redis: { url: server.url }, lock: `${lockSeconds}s` },
    accounts: [{ name: account, credentials: { type: 'none' }, regions: ['ap-guangzhou'] }],
  };
  await writeFile(file, JSON.stringify(config));
  const redis = server.connect();

  const first = await workbench.daemon([`--config.file=${file}`]);
  const member = await runningMember(redis, '');
  const second = await workbench.daemon([`--config.file=${file}`]);
  // It has told the others that it is there, and looks for cycles.
  await delay(1_000);
  const killedMs = performance.now();
  await first.end();
  await runningMember(redis, member);
  const seconds = (performance.now() - killedMs) / 1_000;
  await second.end();
  await server.remove();
  await emulator.close();
  return seconds;
}

/** Resolves with the daemon that runs the cycle, once it is another one. */
async function runningMember(redis: Redis, before: string): Promise<string> {
  const { cycle } = accountKeys(cluster, account);
  for (;;) {
    const [member, running] = await redis.hmget(cycle, 'member', 'running');
    if (running === '1' && typeof member === 'string' && member !== before) return member;
    await delay(5);
  }
}
