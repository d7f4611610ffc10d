/** --web.shard: each account is in /metrics of exactly one part. Page and JSON show all. */
import { describe, expect, test } from 'vitest';
import { hasRedis, startCluster } from '../../support/cluster.ts';
import { configOf, run } from '../../support/program.ts';

describe.runIf(hasRedis)('parts of a cluster', () => {
  test('Each account is in exactly one of three parts, and on every page', async () => {
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
  });
});

test.each(['3/3', 'x', '1', '-1/3'])('--web.shard=%s is a usage error', async (part) => {
  const { code, stderr } = await run('serve', {
    config: configOf({ url: 'http://127.0.0.1:9' }, {}),
    flags: [`--web.shard=${part}`],
  });

  expect(code).toBe(1);
  expect(stderr).toContain(`'--web.shard <part>' argument '${part}' is invalid`);
  expect(stderr).toContain('Help: cvm-quota-monitor serve --help');
});

test('--web.shard without a cluster is an error that says so', async () => {
  const { code, stderr } = await run('serve', {
    config: configOf({ url: 'http://127.0.0.1:9' }, {}),
    flags: ['--web.shard=0/3'],
  });

  expect(code).toBe(1);
  expect(stderr).toContain('error: --web.shard needs `cluster` in the configuration');
  expect(stderr).toContain('Help: cvm-quota-monitor serve --help');
});
