/**
 * Several daemons that share the accounts of an emulator, over a real Redis. Each has a network of its own to Redis.
 *
 *     const { emulator, members, raiseAll, counted } = await startCluster({ accounts: 4, daemons: 2 });
 *     raiseAll();                              // a limit of each account
 *     await counted(members[0]!.daemon);       // its counters are those of the emulator's list of changes
 *     members[0]!.network.cut();
 */
import type { RunningEmulator } from '../../src/emulator/emulator.ts';
import { temporaryDirectory } from './directories.ts';
import {
  accountWith,
  asked,
  emulateAccounts,
  key,
  regionOf,
  setLimit,
  templateWith,
  unlimited,
} from './emulator.ts';
import { Samples } from './exposition.ts';
import { mostInASecond } from './most-in-a-second.ts';
import { configOf, preload, prepareDaemon, type Config, type Daemon } from './program.ts';
import { type RedisServer, hasRedis, startRedis } from './redis.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export { hasRedis };

export const regions = ['ap-guangzhou', 'ap-shanghai'] as const;
export const [region] = regions;
export const templateId = 'lt-b8v1kcyq';

const counter = 'cvm_quota_limit_changes_total';
const image = { region, quota_type: 'image' } as const;

type Keys = Readonly<Record<string, unknown>>;

export interface ClusterOptions {
  readonly accounts: number;
  readonly daemons: number;
  /** Defaults to every second. */
  readonly schedule?: string;
  /** Defaults to 3s. */
  readonly lock?: string;
  /** What each account watches. Defaults to one region. */
  readonly regions?: unknown;
  /** Defaults to all. */
  readonly quotaTypes?: readonly string[];
  /** Further keys of the configuration, of each daemon. */
  readonly more?: Parameters<typeof configOf>[1];
  /** The accounts that a daemon knows. Defaults to all. */
  readonly knows?: (daemon: number, account: number) => boolean;
  /** Flags of each daemon. */
  readonly flags?: (daemon: number) => readonly string[];
  /** How far the clock of the first daemon is ahead. Defaults to 0. */
  readonly firstClockAheadMs?: number;
}

export interface Member {
  readonly daemon: Daemon;
  /** The way of this daemon to Redis. */
  readonly network: TcpProxy;
  /** The configuration, with changed keys of its accounts. */
  readonly config: (account?: Keys) => Config;
}

export interface Cluster {
  readonly emulator: RunningEmulator;
  readonly redis: RedisServer;
  readonly members: readonly Member[];
  readonly names: readonly string[];
  /** The keys of the accounts, as the environment of a daemon. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the limit of images of each account, by default to one more than before. */
  readonly raiseAll: (limit?: number) => void;
  /** Resolves when a daemon shows the present limit of each account, and as many changes as the emulator made. */
  readonly counted: (daemon: Daemon) => Promise<Samples>;
  /** The most requests that departed in a second, of one account and operation. */
  readonly highestRate: () => number;
}

/** Starts Redis and an emulator with an account for each key. The test starts the daemons. */
export async function createCluster(options: ClusterOptions): Promise<Cluster> {
  const { lock = '3s', schedule = '* * * * * *', more, firstClockAheadMs = 0 } = options;
  const redis = await startRedis();
  const names = Array.from({ length: options.accounts }, (_, n) => `account-${n}`);
  const launch_templates = [{ id: templateId, ...templateWith(1, 1, 2, 3, 4) }];
  const places = regions.map((each) => regionOf(each, { launch_templates }));
  const emulator = await emulateAccounts(
    names.map((name, n) => accountWith(name, places, { keys: [key(`id-${n}`, `key-${n}`)] })),
    unlimited,
  );
  const env = Object.fromEntries(
    names.flatMap((_name, n) =>
      ['id', 'key'].map((what) => [`${what.toUpperCase()}_${n}`, `${what}-${n}`]),
    ),
  );
  const accountsOf = (daemon: number, account: Keys) =>
    names
      .map((name, n) => ({
        name,
        credentials: { type: 'environment', secret_id_env: `ID_${n}`, secret_key_env: `KEY_${n}` },
        regions: options.regions ?? [region],
        ...(options.quotaTypes !== undefined && { quota_types: options.quotaTypes }),
        ...account,
      }))
      .filter((_, n) => options.knows?.(daemon, n) ?? true);
  const createMember = async (n: number): Promise<Member> => {
    const network = await startTcpProxy(redis.port);
    const config = (account: Keys = {}) =>
      configOf(emulator, {
        ...more,
        poll: { schedule, stale_after: '1h', ...more?.poll },
        cluster: { name: 'test', redis: { url: `redis://127.0.0.1:${redis.port}` }, lock },
        accounts: accountsOf(n, account),
      });
    const ahead = n === 0 ? firstClockAheadMs : 0;
    const daemon = await prepareDaemon({
      config: config(),
      directory: await temporaryDirectory(),
      flags: options.flags?.(n) ?? [],
      nodeFlags: ['way-to-redis', 'departures', ...(ahead === 0 ? [] : ['shifted-clock'])].map(
        preload,
      ),
      env: {
        ...env,
        CLOCK_AHEAD_MS: String(ahead),
        WAY_TO_REDIS: `${redis.port} ${network.port}`,
      },
    });
    return { daemon, network, config };
  };
  const members = await Promise.all(
    Array.from({ length: options.daemons }, (_, n) => createMember(n)),
  );
  const limitOf = (account: string) => emulator.state.quota({ account, ...image }).limit;
  const made = (name: string) =>
    emulator.state.changes
      .list()
      .filter(({ account, quota_type }) => account === name && quota_type === 'image').length;
  return {
    emulator,
    redis,
    members,
    names,
    env,
    raiseAll: (limit) => {
      for (const account of names) {
        emulator.do({ account, ...setLimit('image', limit ?? limitOf(account) + 1) });
      }
    },
    counted: (daemon) =>
      daemon.metricsWhen((samples) =>
        names.every(
          (account) =>
            samples.value('cvm_quota_limit', { account, ...image }) === limitOf(account) &&
            samples.sum(counter, { account, ...image }) === made(account),
        ),
      ),
    highestRate: () => highestRate(emulator),
  };
}

/** With daemons that have polled every account. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const cluster = await createCluster(options);
  for (const { daemon } of cluster.members) daemon.spawn();
  await Promise.all(cluster.members.map(({ daemon }) => daemon.ready()));
  return cluster;
}

/** `null` when a daemon does not answer in time. */
export async function scrape(daemon: Daemon): Promise<Samples | null> {
  try {
    const response = await daemon.get('/metrics', { signal: AbortSignal.timeout(2_500) });
    return new Samples(await response.text());
  } catch {
    return null;
  }
}

function highestRate(emulator: RunningEmulator): number {
  const departures: Record<string, number[]> = {};
  for (const { account, operation, headers } of asked(emulator)) {
    (departures[`${account} ${operation}`] ??= []).push(Number(headers['departed-ms']));
  }
  return Math.max(0, ...Object.values(departures).map(mostInASecond));
}
