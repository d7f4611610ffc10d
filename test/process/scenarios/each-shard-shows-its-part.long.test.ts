/** --web.shard: each account is in /metrics of exactly one part. Page and JSON show all. */
import { expect, test } from 'vitest';
import { hasRedis, startCluster } from '../../support/cluster.ts';

test.runIf(hasRedis)(
  'Each account is in exactly one of three parts, and on every page',
  async () => {
    const { members, names } = await startCluster({
      accounts: 9,
      daemons: 3,
      flags: (n) => [`--web.shard=${n}/3`],
    });

    const shown = await Promise.all(
      members.map(async ({ daemon }) => {
        await daemon.metricsWhen((each) => each.value('cvm_monitor_cluster_members') === 3);
        const page = await daemon.text('/');
        for (const name of names) expect(page).toContain(name);
        const { quotas } = (await daemon.json('/api/v1/quotas')) as { quotas: unknown[] };
        expect(quotas).toHaveLength(5 * names.length);
        const samples = await daemon.metrics();
        const accountsOf = (name: string) =>
          samples
            .matching(name)
            .filter(({ value }) => value > 0)
            .map(({ labels }) => labels.account!);
        return {
          up: accountsOf('cvm_monitor_target_up'),
          polled: accountsOf('cvm_monitor_polls_total'),
        };
      }),
    );
    expect(shown.flatMap(({ up }) => up).toSorted()).toEqual(names.toSorted());
    expect(shown.every(({ up }) => up.length > 0)).toBe(true);
    // Whichever daemon polled an account, its part shows how the polls ended.
    const polled = new Set(shown.flatMap((part) => part.polled));
    expect([...polled].toSorted()).toEqual(names.toSorted());
  },
);
