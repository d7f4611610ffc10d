/**
 * Several daemons that share the accounts of a service, over a real Redis.
 *
 *     const cluster = await startCluster({ accounts: 4, daemons: 2 });
 *     cluster.raiseAll();                   // a limit of each account: an entry of the ledger each
 *     await cluster.counted(cluster.daemons[0]!);   // its counters are those of the ledger
 */
import { hasProgram } from './programs.ts';
import { startRedis } from './redis.ts';
import type { RedisServer } from './redis-server.ts';
import type { Samples } from './samples.ts';
import { spawnDaemon, type Daemon } from './program.ts';
import { startService, type Region, type Service } from './service.ts';

/** Whether a scenario with Redis can run here. It prints why not. */
export const hasRedis = hasProgram('redis-server', 'redis-server');

const counter = 'cvm_quota_limit_changes_total';
const raised = { quota_type: 'image', direction: 'raised' };
const region = 'ap-guangzhou';

export interface Cluster {
  readonly service: Service;
  readonly redis: RedisServer;
  readonly daemons: readonly Daemon[];
  readonly names: readonly string[];
  /** Raises a limit of each account once. */
  readonly raiseAll: () => void;
  /** Resolves when each account was polled after its last change and has as many changes as the ledger. */
  readonly counted: (daemon: Daemon) => Promise<Samples>;
  /** The number of raises that each account counts, and that its ledger has. */
  readonly countedOf: (samples: Samples) => { counted: number[]; made: number[] };
}

export interface ClusterOptions {
  readonly accounts: number;
  readonly daemons: number;
  /** Flags of each daemon. */
  readonly flags?: (index: number) => readonly string[];
}

/** Starts Redis, a service with an account for each key, and the daemons. Waits until they are ready. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const redis = await startRedis();
  const service = await startService();
  const names = Array.from({ length: options.accounts }, (_, n) => `account-${n}`);
  const env: Record<string, string> = {};
  const watched = new Map<string, Region>();
  for (const [n, name] of names.entries()) {
    const keys = { secretId: `id-${n}`, secretKey: `key-${n}` };
    watched.set(name, service.account(name, keys).region(region));
    env[`ID_${n}`] = `id-${n}`;
    env[`KEY_${n}`] = `key-${n}`;
  }
  const accounts = names.map((name, n) => ({
    name,
    credentials: { type: 'environment', secret_id_env: `ID_${n}`, secret_key_env: `KEY_${n}` },
    regions: [region],
  }));
  const config = {
    poll: { schedule: '* * * * * *' },
    api: { endpoint: service.url, proxy: 'none' },
    cluster: { name: 'scenario', redis: { url: redis.url }, lock: '3s' },
    accounts,
  };
  const daemons = await Promise.all(
    Array.from({ length: options.daemons }, (_, index) =>
      spawnDaemon({ config, env, flags: options.flags?.(index) ?? [] }),
    ),
  );
  await Promise.all(daemons.map((daemon) => daemon.ready()));
  const limits = new Map<string, number>(names.map((name) => [name, 10]));
  const made = (name: string) =>
    service.changes.filter(({ account, kind }) => account === name && kind === 'limit').length;
  const countedOf = (samples: Samples) => ({
    counted: names.map((account) => samples.value(counter, { ...raised, account }) ?? -1),
    made: names.map(made),
  });
  return {
    service,
    redis,
    daemons,
    names,
    raiseAll: () => {
      for (const name of names) {
        const limit = limits.get(name)! + 1;
        limits.set(name, limit);
        watched.get(name)!.setLimit('image', null, limit);
      }
    },
    counted: (daemon) =>
      daemon.metricsWhen((samples) =>
        names.every(
          (account) =>
            samples.value('cvm_quota_limit', { account, quota_type: 'image' }) ===
              limits.get(account) &&
            samples.value(counter, { ...raised, account }) === made(account),
        ),
      ),
    countedOf,
  };
}
