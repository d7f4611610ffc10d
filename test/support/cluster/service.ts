/** Many accounts of the emulated service, and the configuration that watches them. */
import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import type { ConfigInput } from '../monitor.ts';

export const regions = ['ap-guangzhou', 'ap-shanghai'] as const;
export const templateId = 'lt-b8v1kcyq';
export const zoneOf = (region: string): string => `${region}-1`;

export function accountNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `account-${String(i).padStart(4, '0')}`);
}

/** Answers take a while, so that a disturbance meets polls in flight. */
export function scenarioOf(accounts: readonly string[]): ScenarioInput {
  return {
    requests_per_second: 1_000,
    accounts: accounts.map((name, i) => ({
      name,
      keys: [{ secret_id: `id-${i}`, secret_key: `key-${i}` }],
      regions: regions.map((region) => ({
        name: region,
        zones: [{ name: zoneOf(region), postpaid: { used: 3, limit: 100 } }],
        launch_templates: [{ id: templateId, default_version: 1, versions: [1, 2, 3, 4] }],
      })),
    })),
    faults: [{ effect: 'latency', latency: { min: '0s', max: '60ms' } }],
  };
}

export interface ClusterConfigOptions {
  readonly accounts: readonly string[];
  readonly endpoint: string;
  readonly redisPort: number;
  readonly schedule: string;
  readonly lock: string;
  readonly requestsPerSecond: number;
}

export function clusterConfig(options: ClusterConfigOptions): ConfigInput {
  const { accounts, endpoint, lock, redisPort, requestsPerSecond, schedule } = options;
  return {
    poll: { schedule, stale_after: '1h' },
    api: { endpoint, requests_per_second: requestsPerSecond, max_attempts: 1 },
    cluster: { name: 'test', redis: { url: `redis://127.0.0.1:${redisPort}` }, lock },
    accounts: accounts.map((name, i) => ({
      name,
      credentials: { type: 'environment', secret_id_env: `ID_${i}`, secret_key_env: `KEY_${i}` },
      regions: regions.map((region) => ({ name: region, launch_templates: [templateId] })),
    })),
  };
}

/** The keys of the accounts, as the environment of a daemon. */
export function keysOf(accounts: readonly string[]): Readonly<Record<string, string>> {
  const pairs = accounts.flatMap((_, i) => [
    [`ID_${i}`, `id-${i}`],
    [`KEY_${i}`, `key-${i}`],
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}
