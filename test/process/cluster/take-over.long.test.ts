/** The way from one daemon with files to a cluster. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCluster } from '../../support/cluster/cluster-world.ts';
import { keysOf, regions, zoneOf } from '../../support/cluster/service.ts';
import { startDaemon } from '../../support/program.ts';
import { hasRedis } from '../../support/redis.ts';

const patience = { timeout: 60_000, interval: 100 };

test.runIf(hasRedis)(
  'a daemon that gets a cluster gives it the records of its files, once',
  async () => {
    const { accounts, emulator, members, redis } = await createCluster({ daemons: 1, accounts: 2 });
    const config = members[0]!.config;
    const [region] = regions;
    const env = keysOf(accounts);
    const alone = await startDaemon({ config: { ...config, cluster: undefined }, env });
    const place = {
      account: accounts[0]!,
      region,
      zone: zoneOf(region),
      quota_type: 'postpaid',
    } as const;
    emulator.do({ do: 'set-limit', ...place, limit: 200 });
    const labels = { account: place.account, region, direction: 'raised', quota_type: 'postpaid' };
    const raised = async (daemon: typeof alone) =>
      (await daemon.metrics()).value('cvm_quota_limit_changes_total', labels);
    await expect.poll(() => raised(alone), patience).toBe(1);
    await alone.stop();

    const { directory, storagePath } = alone;
    const first = await startDaemon({ config, directory, env });

    await expect.poll(() => raised(first), patience).toBe(1);
    expect((await readdir(storagePath)).filter((name) => name.endsWith('.json'))).toEqual([]);
    expect(await readdir(join(storagePath, 'taken-over'))).not.toEqual([]);
    const told = first.log.filter(({ msg }) => msg === 'records of files were taken over');
    expect(new Set(told.map(({ account }) => account))).toEqual(new Set(accounts));
    // An empty Redis does not meet old files again.
    await first.stop();
    await redis.kill();
    await redis.restartEmpty();
    const second = await startDaemon({ config, directory, env });
    await expect.poll(() => raised(second), patience).toBe(0);
  },
);
