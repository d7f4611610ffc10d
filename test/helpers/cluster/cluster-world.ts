/** A real Redis, the emulated service, and several daemons that share its accounts. */
import { onTestFinished } from 'vitest';
import {
  startEmulator,
  type ReceivedRequest,
  type RunningEmulator,
} from '../../../src/emulator/emulator.ts';
import { mostInASecond } from '../most-in-a-second.ts';
import { startRedis, type RedisServer } from '../redis.ts';
import { ClusterMember } from './member.ts';
import { accountNames, clusterConfig, keysOf, scenarioOf } from './service.ts';

export interface ClusterWorldOptions {
  readonly daemons: number;
  readonly accounts: number;
  /** Defaults to every second. */
  readonly schedule?: string;
  /** Defaults to the shortest one. */
  readonly lock?: string;
}

export interface ClusterWorld {
  readonly redis: RedisServer;
  readonly emulator: RunningEmulator;
  readonly members: readonly ClusterMember[];
  readonly accounts: readonly string[];
}

/** Of each account and operation. */
export const requestsPerSecond = 3;

/** Everything except the daemons, which the test starts. */
async function createCluster(options: ClusterWorldOptions): Promise<ClusterWorld> {
  const { schedule = '* * * * * *', lock = '2s' } = options;
  const accounts = accountNames(options.accounts);
  const redis = await startRedis();
  const emulator = await startEmulator({ scenario: scenarioOf(accounts) });
  onTestFinished(emulator.close);
  const config = (redisPort: number) =>
    clusterConfig({
      accounts,
      endpoint: emulator.url,
      redisPort,
      schedule,
      lock,
      requestsPerSecond,
    });
  const members = await Promise.all(
    Array.from({ length: options.daemons }, () =>
      ClusterMember.create({ redisPort: redis.port, config, env: keysOf(accounts) }),
    ),
  );
  return { redis, emulator, members, accounts };
}

/** With daemons that have polled every account. */
export async function startCluster(options: ClusterWorldOptions): Promise<ClusterWorld> {
  const world = await createCluster(options);
  await Promise.all(world.members.map((member) => member.start()));
  await Promise.all(world.members.map(({ daemon }) => daemon.ready()));
  return world;
}

/** The most requests in a second that one account and operation got. */
export function highestRate(requests: readonly ReceivedRequest[]): number {
  const moments = new Map<string, number[]>();
  for (const { account, atMs, operation } of requests) {
    const key = `${account ?? ''} ${operation ?? ''}`;
    moments.set(key, [...(moments.get(key) ?? []), atMs]);
  }
  return Math.max(0, ...[...moments.values()].map(mostInASecond));
}
