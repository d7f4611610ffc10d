/** Reloads of daemons that share accounts, and what they load without a cluster. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../../src/emulator/emulator.ts';
import { createCluster, startCluster } from '../../support/cluster/cluster-world.ts';
import { regions, templateId } from '../../support/cluster/service.ts';
import type { ConfigInput } from '../../support/monitor.ts';
import { startDaemon } from '../../support/program.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { hasRedis } from '../../support/redis.ts';

const patience = { timeout: 40_000, interval: 50 };
/** The cycles of the start are due, and no others. */
const yearly = '0 0 1 1 *';

type Regions = Extract<ConfigInput['accounts'][number]['regions'], unknown[]>;

const withRegions = (config: ConfigInput, names: Regions): ConfigInput => ({
  ...config,
  accounts: config.accounts.map((account) => ({ ...account, regions: names })),
});

describe.runIf(hasRedis)('a reload in a cluster', () => {
  test('polls new targets at once, each time', async () => {
    const [region] = regions;
    const { emulator, members } = await startCluster({
      daemons: 2,
      accounts: 3,
      schedule: yearly,
      edit: (config) => withRegions(config, [region]),
    });
    const asked = () => emulator.requests.list().length;
    await expect.poll(asked, patience).toBe(3);

    const reloads: Regions[] = [
      [...regions],
      [{ name: region, launch_templates: [templateId] }, regions[1]],
    ];
    for (const [i, next] of reloads.entries()) {
      for (const { config, daemon } of members) {
        await daemon.configure(withRegions(config, next));
        expect((await daemon.get('/-/reload', { method: 'POST' })).status).toBe(200);
      }

      await expect.poll(asked, patience).toBe(3 * (i + 2));
    }
    for (const { daemon } of members) {
      await daemon.metricsWhen(
        (samples) => samples.matching('cvm_launch_template_default_version').length === 3,
      );
    }
  });

  test('that changes the cluster is refused', async () => {
    const { members } = await startCluster({ daemons: 1, accounts: 1 });
    const { config, daemon } = members[0]!;
    await daemon.configure({ ...config, cluster: { ...config.cluster!, lock: '9s' } });

    const response = await daemon.get('/-/reload', { method: 'POST' });

    expect(response.ok).toBe(false);
    expect(await response.text()).toContain('`cluster`');
    expect((await daemon.metrics()).value('cvm_monitor_config_last_reload_successful')).toBe(0);
  });
});

test.runIf(hasRedis)(
  'every daemon shows the regions and templates that one of them found',
  async () => {
    const { members } = await createCluster({
      daemons: 3,
      accounts: 4,
      schedule: '*/2 * * * * *',
      edit: (config) => ({
        ...config,
        accounts: config.accounts.map((account) => ({
          ...account,
          regions: { except: [], launch_templates: 'all' as const },
        })),
      }),
    });

    await Promise.all(members.map((member) => member.start()));

    for (const { daemon } of members) {
      await daemon.metricsWhen(
        (samples) =>
          samples.matching('cvm_quota_limit', { quota_type: 'postpaid' }).length === 8 &&
          samples.matching('cvm_launch_template_default_version').length === 8,
      );
    }
  },
);

test('one daemon alone loads neither the job engine nor the client of Redis', async () => {
  const emulator = await startEmulator();
  onTestFinished(emulator.close);
  const coverage = await temporaryDirectory();
  const daemon = await startDaemon({
    config: {
      api: { endpoint: emulator.url },
      accounts: [{ name: 'a', credentials: { type: 'none' }, regions: ['ap-guangzhou'] }],
    },
    env: { NODE_V8_COVERAGE: coverage },
  });
  await daemon.stop();

  const texts = await Promise.all(
    (await readdir(coverage)).map((name) => readFile(join(coverage, name), 'utf8')),
  );

  expect(texts.join()).toContain('dist/main.js');
  expect(texts.join()).not.toMatch(/dist\/chunks\/cluster|bullmq|ioredis/);
});
