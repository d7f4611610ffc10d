/** Two daemons on one Redis: each account is polled by one of them at a time, and both show all. */
import { expect, test } from 'vitest';
import { hasRedis, startCluster } from '../../support/cluster.ts';
import { asked } from '../../support/emulator.ts';

test.runIf(hasRedis)(
  'Each account is polled once a cycle, by either daemon, and both count each change once',
  async () => {
    const cluster = await startCluster({ accounts: 6, daemons: 2 });
    const { emulator, members, names, raiseAll, counted } = cluster;

    for (let round = 0; round < 3; round += 1) {
      raiseAll();
      for (const { daemon } of members) await counted(daemon);
    }
    for (const account of names) {
      const times = asked(emulator, { account }).map(({ at }) => Date.parse(at));
      const perSecond = (times.length - 1) / ((times.at(-1)! - times[0]!) / 1000);
      expect(perSecond).toBeLessThan(1.5);
    }
    expect(asked(emulator).filter(({ code }) => code !== null)).toEqual([]);
  },
);
