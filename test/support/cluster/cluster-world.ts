/** A real Redis, the emulated service, and several daemons that share its accounts. */
import { onTestFinished } from 'vitest';
import {
  startEmulator,
  type ReceivedRequest,
  type RunningEmulator,
} from '../../../src/emulator/emulator.ts';
import type { ConfigInput } from '../monitor.ts';
import { mostInASecond } from '../most-in-a-second.ts';
import type { RedisServer } from '../redis-server.ts';
import { startRedis } from '../redis.ts';
import { ClusterMember } from './member.ts';
import { accountNames, clusterConfig, keysOf, scenarioOf } from './service.ts';

/** A daemon expects that a request arrives within 250 ms. */
const longestDelayMs = 150;
/** How long before a request the delays count: requests wait behind one another. */
const backlogMs = 500;
const periodMs = 10;

interface Delay {
  readonly endMs: number;
  readonly durationMs: number;
}

/** Watches the event loop until the end of the test. */
function watchArrivals(): {
  /** @param atMs when this process handled the request, in milliseconds since the Unix epoch */
  readonly isSlow: (atMs: number) => boolean;
} {
  const delays: Delay[] = [];
  let lastMs = Date.now();
  const timer = setInterval(() => {
    const endMs = Date.now();
    const durationMs = endMs - lastMs - periodMs;
    if (durationMs > periodMs) delays.push({ endMs, durationMs });
    lastMs = endMs;
  }, periodMs);
  onTestFinished(() => {
    clearInterval(timer);
  });
  return {
    isSlow: (atMs) => {
      // The delay in which the request was handled ends after it.
      const recent = delays.filter(
        ({ durationMs, endMs }) => endMs > atMs - backlogMs && endMs - durationMs <= atMs,
      );
      return recent.reduce((sum, { durationMs }) => sum + durationMs, 0) > longestDelayMs;
    },
  };
}

export interface ClusterWorldOptions {
  readonly daemons: number;
  readonly accounts: number;
  /** Defaults to every second. */
  readonly schedule?: string;
  /** Defaults to the shortest one. */
  readonly lock?: string;
  /** How far the clock of the first daemon is ahead. Defaults to 0. */
  readonly firstClockAheadMs?: number;
  /** Changes the configuration of each daemon. */
  readonly edit?: (config: ConfigInput, daemon: number) => ConfigInput;
}

export interface ClusterWorld {
  readonly redis: RedisServer;
  readonly emulator: RunningEmulator;
  readonly members: readonly ClusterMember[];
  readonly accounts: readonly string[];
  /** The most requests in a second that one account and operation got. */
  readonly highestRate: (requests: readonly ReceivedRequest[]) => number;
}

/** Of each account and operation. */
export const requestsPerSecond = 3;

/** Everything except the daemons, which the test starts. */
export async function createCluster(options: ClusterWorldOptions): Promise<ClusterWorld> {
  const { edit = (config) => config, lock = '2s', schedule = '* * * * * *' } = options;
  const accounts = accountNames(options.accounts);
  const redis = await startRedis();
  const emulator = await startEmulator({ scenario: scenarioOf(accounts) });
  onTestFinished(emulator.close);
  const fixed = { accounts, endpoint: emulator.url, schedule, lock, requestsPerSecond };
  const members = await Promise.all(
    Array.from({ length: options.daemons }, (_, i) =>
      ClusterMember.create({
        redisPort: redis.port,
        config: (redisPort) => edit(clusterConfig({ ...fixed, redisPort }), i),
        env: keysOf(accounts),
        clockAheadMs: i === 0 ? (options.firstClockAheadMs ?? 0) : 0,
      }),
    ),
  );
  const { isSlow } = watchArrivals();
  return {
    redis,
    emulator,
    members,
    accounts,
    highestRate: (requests) => highestRate(requests, isSlow),
  };
}

/** With daemons that have polled every account. */
export async function startCluster(options: ClusterWorldOptions): Promise<ClusterWorld> {
  const world = await createCluster(options);
  await Promise.all(world.members.map((member) => member.start()));
  await Promise.all(world.members.map(({ daemon }) => daemon.ready()));
  return world;
}

/**
 * Leaves out requests that the emulator handled late.
 *
 * @throws Error when so few are left that they say nothing
 */
function highestRate(
  requests: readonly ReceivedRequest[],
  isSlow: (atMs: number) => boolean,
): number {
  const punctual = requests.filter(({ at }) => !isSlow(Date.parse(at)));
  if (punctual.length < requests.length / 4) throw new Error('the emulator was too slow');
  const moments = new Map<string, number[]>();
  for (const { account, at, operation } of punctual) {
    const key = `${account ?? ''} ${operation ?? ''}`;
    const ofKey = moments.get(key) ?? [];
    ofKey.push(Date.parse(at));
    moments.set(key, ofKey);
  }
  return Math.max(0, ...[...moments.values()].map(mostInASecond));
}
