import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startDaemon, type ConfigInput, type DaemonProcess } from '../support/daemon-process.ts';
import { namedPipe } from '../support/named-pipe.ts';
import { startMonitor } from '../support/monitor.ts';
import { startPlainService } from '../support/plain-service.ts';
import { recordingLogger } from '../support/recording-logger.ts';

async function start() {
  const service = await startPlainService();
  service.templates.set('lt-1', { versions: [1, 2], defaultVersion: 1 });
  service.templates.set('lt-2', { versions: [1, 2], defaultVersion: 1 });
  const config = (...templates: string[]) => ({
    poll: { schedule: '*/1 * * * * *' },
    api: { endpoint: service.url },
    accounts: [
      {
        name: 'a',
        credentials: { type: 'none' as const },
        regions: [{ name: 'ap-x', launch_templates: templates }],
      },
    ],
  });
  const daemon = await startDaemon({ config: config('lt-1') });
  await daemon.ready();
  return { service, daemon, config };
}

const templates = async (daemon: DaemonProcess) =>
  (await daemon.metrics())
    .matching('cvm_launch_template_default_version_changes_total')
    .map(({ labels, value }) => [labels.template_id, value]);

const reload = (daemon: DaemonProcess) => daemon.get('/-/reload', { method: 'POST' });

describe('a reload', () => {
  test('watches what the new configuration says, and keeps the counters of what stays', async () => {
    const { service, daemon, config } = await start();
    service.templates.set('lt-1', { versions: [1, 2], defaultVersion: 2 });
    await daemon.metricsWhen(
      (samples) => samples.sum('cvm_launch_template_default_version_changes_total') === 1,
    );
    await daemon.configure(config('lt-2', 'lt-1'));

    const response = await reload(daemon);

    expect(response.status).toBe(200);
    await expect
      .poll(() => templates(daemon))
      .toEqual([
        ['lt-2', 0],
        ['lt-1', 1],
      ]);
  });

  test('takes the series of what is no longer watched away, and brings their counters back', async () => {
    const { service, daemon, config } = await start();
    service.templates.set('lt-1', { versions: [1, 2], defaultVersion: 2 });
    await daemon.metricsWhen(
      (samples) => samples.sum('cvm_launch_template_default_version_changes_total') === 1,
    );

    await daemon.configure(config());
    await reload(daemon);
    // A scrape is rendered at most once a second.
    await expect.poll(() => templates(daemon)).toEqual([]);
    await daemon.configure(config('lt-1'));
    await reload(daemon);

    await expect.poll(() => templates(daemon)).toEqual([['lt-1', 1]]);
  });

  test('of a bad file changes nothing, and says what is wrong with it', async () => {
    const { daemon } = await start();
    await daemon.configure('accounts: []');

    const response = await reload(daemon);

    expect(response.status).toBe(500);
    expect(await response.text()).toContain(
      'config.yaml:1:11: accounts: name at least one account',
    );
    const samples = await daemon.metricsWhen(
      (each) => each.value('cvm_monitor_config_last_reload_successful') === 0,
    );
    expect(samples.value('cvm_monitor_target_up', { template_id: 'lt-1' })).toBe(1);
  });

  test('of a file that hangs fails in time, and the next one works', async () => {
    const { daemon, config } = await start();
    const pipe = await namedPipe(daemon.configFile);

    const response = await reload(daemon);

    expect(response.status).toBe(500);
    expect(await response.text()).toContain(daemon.configFile);
    await daemon.metricsWhen(
      (samples) => samples.value('cvm_monitor_config_last_reload_successful') === 0,
    );
    await pipe.replaceBy(JSON.stringify(config('lt-2')));
    await expect.poll(async () => (await reload(daemon)).status).toBe(200);
    await daemon.metricsWhen(
      (samples) => samples.value('cvm_monitor_config_last_reload_successful') === 1,
    );
  });

  test('follows SIGHUP', async () => {
    const { daemon, config } = await start();
    await daemon.configure(config('lt-2'));

    daemon.signal('SIGHUP');
    await daemon.logged('configuration reloaded');

    await expect.poll(() => templates(daemon)).toEqual([['lt-2', 0]]);
  });
});

/** A daemon in this process. Each reload gets the accounts that `accounts` then holds. */
async function startReloading(...accounts: string[]) {
  const names = { accounts };
  const { logger, lines } = recordingLogger();
  const monitor = await startMonitor({
    config: ({ endpoint }): ConfigInput => ({
      poll: { schedule: '0 0 1 1 *' },
      api: { endpoint },
      accounts: names.accounts.map((name) => ({
        name,
        credentials: { type: 'none' },
        regions: ['ap-guangzhou'],
      })),
    }),
    scenario: {
      requests_per_second: 1_000,
      accounts: [
        {
          name: 'any',
          regions: [
            { name: 'ap-guangzhou', zones: [{ name: 'ap-guangzhou-1', postpaid: { limit: 9 } }] },
          ],
        },
      ],
    },
    logger,
  });
  return { monitor, names, lines };
}

test('a hundred reloads, each with another account, leave no series of the accounts before', async () => {
  const { monitor, names } = await startReloading('account-0');
  const ownSeries = async () => [...(await monitor.metrics()).series.keys()].filter(isOwn);
  // The first cycle of an account ends later than its polls.
  const isOwn = (key: string) =>
    key.startsWith('cvm_') && !key.startsWith('cvm_monitor_last_cycle');
  const before = await ownSeries();

  for (let i = 1; i <= 100; i += 1) {
    names.accounts = [`account-${i}`];
    expect(await monitor.daemon.reload()).toEqual({ ok: true });
    // Some polls end before the next reload, and some do not.
    if (i % 10 === 0) await delay(20);
  }
  const expected = before.map((key) => key.replace('account-0', 'account-100')).toSorted();

  const sorted = async () => (await ownSeries()).toSorted();
  await expect.poll(sorted).toEqual(expected);
});
