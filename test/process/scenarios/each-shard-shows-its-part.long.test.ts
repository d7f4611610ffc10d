/** --web.shard: each account is in /metrics of exactly one part. Page and JSON show all. */
import { describe, expect, test } from 'vitest';
import { hasRedis, startCluster } from '../../support/cluster.ts';
import { configOf, run } from '../../support/program.ts';

describe.runIf(hasRedis)('parts of a cluster', () => {
  test('Each account is in exactly one of three parts, and on every page', async () => {
    const { daemons, names } = await startCluster({
      accounts: 9,
      daemons: 3,
      flags: (index) => [`--web.shard=${index}/3`],
    });

    const shown = await Promise.all(
      daemons.map(async (daemon) => {
        await daemon.metricsWhen((each) => each.value('cvm_monitor_cluster_members') === 3);
        const page = await daemon.text('/');
        for (const name of names) expect(page).toContain(name);
        const up = (await daemon.metrics()).matching('cvm_monitor_target_up');
        return up.map(({ labels }) => labels.account!);
      }),
    );
    expect(shown.flat().toSorted()).toEqual(names.toSorted());
  });
});

test.each(['3/3', 'x', '1', '-1/3'])('--web.shard=%s is a usage error', async (part) => {
  const { code, stderr } = await run('serve', {
    config: configOf({ url: 'http://127.0.0.1:9' }, {}),
    flags: [`--web.shard=${part}`],
  });

  expect(code).toBe(1);
  expect(stderr).toContain(part);
});

test('--web.shard without a cluster is an error that says so', async () => {
  const { code, stderr } = await run('serve', {
    config: configOf({ url: 'http://127.0.0.1:9' }, {}),
    flags: ['--web.shard=0/3'],
  });

  expect(code).toBe(1);
  expect(stderr).toContain('cluster');
});
