import type { Redis } from 'ioredis';

const suffix = ':written';

/** The names of the accounts that have records in a cluster. */
export async function storedAccounts(redis: Redis, cluster: string): Promise<ReadonlySet<string>> {
  const accounts = new Set<string>();
  for await (const names of redis.scanStream({ match: `${cluster}:{*}${suffix}` })) {
    for (const name of Array.isArray(names) ? names.map(String) : []) {
      accounts.add(name.slice(cluster.length + 2, -suffix.length - 1));
    }
  }
  return accounts;
}
