/** Reloads of daemons that share accounts, and what they load without a cluster. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createCluster,
  hasRedis,
  region,
  regions,
  startCluster,
  templateId,
  type Member,
} from '../../support/cluster.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { emulateRegions } from '../../support/emulator.ts';
import type { Labels, Samples } from '../../support/exposition.ts';
import { watchEmulator } from '../../support/program.ts';

const defaultVersion = 'cvm_launch_template_default_version';
/** The cycles of the start are due, and no others. */
const polledOnce = { daemons: 2, schedule: '0 0 1 1 *', lock: '15s' };

test.runIf(hasRedis)('a reload in a cluster polls new targets at once, each time', async () => {
  const { emulator, members } = await startCluster({ ...polledOnce, accounts: 3 });
  expect(emulator.requests.total).toBe(3);

  const withTemplate = { name: region, launch_templates: [templateId] };
  for (const [i, next] of [regions, [withTemplate, regions[1]]].entries()) {
    for (const { config, daemon } of members) {
      expect(await daemon.reload(config({ regions: next }))).toBe(200);
    }

    const asked = () => emulator.requests.total;
    await expect.poll(asked, { timeout: 40_000 }).toBe(3 * (i + 2));
  }
  for (const { daemon } of members) {
    await daemon.metricsWhen((samples) => samples.matching(defaultVersion).length === 3);
  }
});

test.runIf(hasRedis)('a reload in a cluster polls at once what it changes', async () => {
  const { emulator, members } = await startCluster({ ...polledOnce, daemons: 1, accounts: 2 });
  const { config, daemon } = members[0]!;
  expect(emulator.requests.total).toBe(2);

  expect(await daemon.reload(config({ quota_types: ['image'] }))).toBe(200);

  await expect.poll(() => emulator.requests.total, { timeout: 40_000 }).toBe(4);
});

test.runIf(hasRedis)(
  'new targets are polled, although the daemon that keeps the job lacks them',
  async () => {
    // Daemons tell each other their configurations in every third of the lock. It takes some of these turns.
    const { emulator, members } = await startCluster({ ...polledOnce, lock: '6s', accounts: 4 });
    expect(emulator.requests.total).toBe(4);

    const { config, daemon } = members[0]!;
    expect(await daemon.reload(config({ regions }))).toBe(200);

    await expect.poll(() => emulator.requests.total, { timeout: 100_000 }).toBe(8);
  },
);

test.runIf(hasRedis)(
  'while the labels of an account differ between daemons, each daemon shows its own, and their configurations count as two',
  async () => {
    const { members } = await startCluster({ ...polledOnce, lock: '6s', accounts: 1 });
    const limits = (samples: Samples) => samples.matching('cvm_quota_limit').length;
    const shows = ({ daemon }: Member, labels: Labels, configurations: number) =>
      daemon.metricsWhen(
        (samples) =>
          samples.matching('cvm_quota_limit', labels).length === limits(samples) &&
          limits(samples) > 0 &&
          samples.value('cvm_monitor_cluster_configurations') === configurations,
      );
    const [first, second] = [members[0]!, members[1]!];

    expect(await first.daemon.reload(first.config({ labels: { team: 'web' } }))).toBe(200);

    const other = await shows(second, {}, 2);
    expect(other.matching('cvm_quota_limit', { team: 'web' })).toEqual([]);
    await shows(first, { team: 'web' }, 2);

    expect(await second.daemon.reload(second.config({ labels: { team: 'web' } }))).toBe(200);

    for (const member of members) await shows(member, { team: 'web' }, 1);
  },
);

test.runIf(hasRedis)('a reload that changes the cluster is refused', async () => {
  const { members } = await startCluster({ daemons: 1, accounts: 1 });
  const { config, daemon } = members[0]!;
  await daemon.configure({ ...config(), cluster: { ...(config().cluster as object), lock: '9s' } });

  const response = await daemon.get('/-/reload', { method: 'POST' });

  expect(response.ok).toBe(false);
  expect(await response.text()).toContain('`cluster`');
  expect((await daemon.metrics()).value('cvm_monitor_config_last_reload_successful')).toBe(0);
});

test.runIf(hasRedis)(
  'every daemon shows the regions and templates that one of them found',
  async () => {
    const { members } = await createCluster({
      daemons: 3,
      accounts: 4,
      schedule: '*/2 * * * * *',
      regions: { except: [], launch_templates: 'all' },
    });

    for (const { daemon } of members) daemon.spawn();

    for (const { daemon } of members) {
      await daemon.metricsWhen(
        (samples) =>
          samples.matching('cvm_quota_limit', { quota_type: 'postpaid' }).length === 8 &&
          samples.matching(defaultVersion).length === 8,
      );
    }
  },
);

test('one daemon alone loads neither the job engine nor the client of Redis', async () => {
  const coverage = await temporaryDirectory();
  const daemon = await watchEmulator(
    await emulateRegions(region),
    {},
    { env: { NODE_V8_COVERAGE: coverage } },
  );
  await daemon.stop();

  const texts = await Promise.all(
    (await readdir(coverage)).map((name) => readFile(join(coverage, name), 'utf8')),
  );

  expect(texts.join()).toContain('dist/main.js');
  expect(texts.join()).not.toMatch(/dist\/chunks\/cluster|bullmq|ioredis/);
});
