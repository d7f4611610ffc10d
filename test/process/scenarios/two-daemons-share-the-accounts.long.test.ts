/** Two daemons on one Redis: each account is polled by one of them at a time, and both show all. */
import { describe, expect, test } from 'vitest';
import { hasRedis, startCluster } from '../../support/cluster.ts';

/** With six accounts. */
async function twoDaemons() {
  const cluster = await startCluster({ accounts: 6, daemons: 2 });
  const [one, other] = cluster.members.map(({ daemon }) => daemon);
  return { ...cluster, one: one!, other: other! };
}

describe.runIf(hasRedis)('two daemons on one Redis', () => {
  test('Each account is polled once a cycle, by either daemon, and both count each change once', async () => {
    const { service, one, other, names, raiseAll, counted } = await twoDaemons();

    for (let round = 0; round < 3; round += 1) {
      raiseAll();
      for (const daemon of [one, other]) await counted(daemon);
    }
    for (const account of names) {
      const times = service.asked({ account }).map(({ atMs }) => atMs);
      const perSecond = (times.length - 1) / ((times.at(-1)! - times[0]!) / 1000);
      expect(perSecond).toBeLessThan(1.5);
    }
    expect(service.requests.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  });

  test('When one is killed, the other takes over its accounts, and no change is lost or doubled', async () => {
    const { one, other, raiseAll, counted } = await twoDaemons();
    raiseAll();
    await one.stop('SIGKILL');
    await counted(other);
    raiseAll();
    await counted(other);

    one.spawn();
    await one.ready();
    raiseAll();
    await counted(one);
    expect(await one.stop()).toEqual({ code: 0, signal: null });
    expect(await other.stop()).toEqual({ code: 0, signal: null });
  });

  test('A daemon that was suspended writes nothing old when it wakes up', async () => {
    const { one, other, raiseAll, counted } = await twoDaemons();
    one.signal('SIGSTOP');
    raiseAll();
    await counted(other);
    raiseAll();
    await counted(other);
    one.signal('SIGCONT');

    for (const daemon of [one, other]) await counted(daemon);
    raiseAll();
    for (const daemon of [one, other]) await counted(daemon);
  });
});
