/** Which daemon polls which account. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { accountKeys } from '../../../src/cluster/keys.ts';
import {
  createCluster,
  hasRedis,
  region,
  startCluster,
  templateId,
  type Member,
} from '../../support/cluster.ts';

const patience = { timeout: 90_000 };

test.runIf(hasRedis)(
  'an account stays with its daemon until a daemon joins or leaves, and each has its share',
  async () => {
    const { members, names, redis } = await createCluster({ daemons: 2, accounts: 4 });
    const [first, second] = members.map(({ daemon }) => daemon);
    const connection = redis.connect();
    const pollers = () =>
      Promise.all(names.map((name) => connection.hget(accountKeys('test', name).cycle, 'member')));
    /** How many accounts each daemon has; none while accounts change their daemon within some cycles. */
    const shares = async () => {
      const ids = await pollers();
      await delay(6_000);
      if (!isDeepStrictEqual(await pollers(), ids)) return [];
      return [...new Set(ids)].map((id) => ids.filter((each) => each === id).length);
    };
    for (const daemon of [first, second]) daemon!.spawn();
    await expect.poll(shares, patience).toEqual([2, 2]);

    await second!.stop();

    await expect.poll(shares, patience).toEqual([4]);
  },
);

test.runIf(hasRedis)(
  'every daemon shows the time that another one found a launch blocked, also when that one is gone',
  async () => {
    const launch_templates = [templateId];
    const { members } = await startCluster({ daemons: 2, accounts: 1 });
    for (const { config, daemon } of members) {
      const regions = [{ name: region, launch_templates }];
      expect(await daemon.reload(config({ launches: true, regions }))).toBe(200);
    }
    // The subnet of the version does not exist.
    const since = async ({ daemon }: Member) =>
      (await daemon.json('/api/v1/launches')).launches[0]?.blocked_since;
    await expect.poll(() => since(members[0]!), patience).toMatch(/^20/);
    const found = await since(members[0]!);
    await expect.poll(() => since(members[1]!), patience).toBe(found);

    await members[0]!.daemon.stop('SIGKILL');
    await delay(6_000);

    expect(await since(members[1]!)).toBe(found);
    members[0]!.daemon.spawn();
    await members[0]!.daemon.ready();
    expect(await since(members[0]!)).toBe(found);
  },
);
