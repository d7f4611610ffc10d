/** The way from one daemon with files to a cluster. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCluster, hasRedis } from '../../support/cluster.ts';

test.runIf(hasRedis)(
  'a daemon that gets a cluster gives it the records of its files, once',
  async () => {
    const { counted, members, names, raiseAll, redis } = await createCluster({
      daemons: 1,
      accounts: 2,
    });
    const { config, daemon } = members[0]!;
    const { cluster: _none, ...alone } = config();
    await daemon.configure(alone);
    daemon.spawn();
    await daemon.ready();
    raiseAll();
    await counted(daemon);
    await daemon.stop();

    await daemon.configure(config());
    daemon.spawn();

    await counted(daemon);
    const files = await readdir(daemon.storagePath);
    expect(files.filter((name) => name.endsWith('.json'))).toEqual([]);
    expect(await readdir(join(daemon.storagePath, 'taken-over'))).not.toEqual([]);
    const told = daemon.log.filter(({ msg }) => msg === 'records of files were taken over');
    expect(new Set(told.map(({ account }) => account))).toEqual(new Set(names));
    // An empty Redis does not meet old files again.
    await daemon.stop();
    await redis.kill();
    await redis.restartWith(null);
    daemon.spawn();
    await daemon.ready();
    expect((await daemon.cycle()).sum('cvm_quota_limit_changes_total')).toBe(0);
  },
);
