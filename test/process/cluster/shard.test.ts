/** Daemons of a cluster that each show a part of the accounts. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../../src/emulator/emulator.ts';
import { runCommand } from '../../support/command-line.ts';
import { startDaemon, type ConfigInput } from '../../support/daemon-process.ts';
import { temporaryFile } from '../../support/directories.ts';
import { hasRedis, startRedis } from '../../support/redis.ts';

const names = Array.from({ length: 6 }, (_, i) => `account-${i}`);

describe.runIf(hasRedis)('--web.shard', () => {
  test('gives each account to exactly one part; page and JSON show all of them', async () => {
    const redis = await startRedis();
    const emulator = await startEmulator();
    onTestFinished(emulator.close);
    const config: ConfigInput = {
      api: { endpoint: emulator.url },
      cluster: { name: 'test', redis: { url: redis.url }, lock: '3s' },
      accounts: names.map((name) => ({
        name,
        credentials: { type: 'none' },
        regions: ['ap-guangzhou'],
      })),
    };
    const daemons = await Promise.all(
      ['0/2', '1/2'].map((part) => startDaemon({ config, flags: [`--web.shard=${part}`] })),
    );
    await Promise.all(daemons.map((daemon) => daemon.ready()));

    const shown = await Promise.all(
      daemons.map(async (daemon) => {
        const samples = await daemon.metricsWhen(
          (each) => each.value('cvm_monitor_cluster_members') === 2,
        );
        const page = await (await daemon.get('/')).text();
        for (const name of names) expect(page).toContain(name);
        const answer = (await (await daemon.get('/api/v1/quotas')).json()) as { quotas: unknown[] };
        expect(answer.quotas.length).toBeGreaterThanOrEqual(names.length);
        const up = samples.matching('cvm_monitor_target_up');
        return {
          accounts: up.map(({ labels }) => labels.account ?? ''),
          polled: samples
            .matching('cvm_monitor_polls_total')
            .filter(({ value }) => value > 0)
            .map(({ labels }) => labels.account ?? ''),
        };
      }),
    );

    expect(shown.flatMap(({ accounts }) => accounts).toSorted()).toEqual(names);
    expect(shown.every(({ accounts }) => accounts.length > 0)).toBe(true);
    // Whichever daemon polled an account, it shows how its polls ended.
    expect([...new Set(shown.flatMap(({ polled }) => polled))].toSorted()).toEqual(names);
  });
});

describe('a wrong --web.shard is a usage error:', () => {
  test.each(['4/4', 'x', '1', '-1/4'])('%s', async (part) => {
    const { code, stderr } = await runCommand(
      'serve',
      '--config.file=config.yaml',
      `--web.shard=${part}`,
    );

    expect(code).toBe(1);
    expect(stderr).toContain(`'--web.shard <part>' argument '${part}' is invalid`);
    expect(stderr).toContain('Help: cvm-quota-monitor serve --help');
  });

  test('without a cluster, which the error says', async () => {
    const file = await temporaryFile(
      'config.yaml',
      'accounts: [{ name: a, regions: [ap-guangzhou] }]\n',
    );

    const { code, stderr } = await runCommand('serve', `--config.file=${file}`, '--web.shard=0/4');

    expect(code).toBe(1);
    expect(stderr).toContain('error: --web.shard needs `cluster` in the configuration');
    expect(stderr).toContain('Help: cvm-quota-monitor serve --help');
  });
});
