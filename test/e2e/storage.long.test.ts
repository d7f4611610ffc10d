/** A storage that fails, or that somebody else has, as the operator of a running daemon meets it. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../src/emulator/emulator.ts';
import {
  spawnDaemon,
  startDaemon,
  type ConfigInput,
  type DaemonOptions,
  type DaemonProcess,
} from '../helpers/daemon-process.ts';
import { foreignProcess } from '../helpers/file-stores.ts';
import { orderedDisk } from '../helpers/ordered-disk.ts';

const writeFailures = 'cvm_monitor_state_write_failures_total';
const versionChanges = 'cvm_launch_template_default_version_changes_total';

test('a second daemon on the same directory exits with code 1 and names the first', async () => {
  const { daemon, config } = await watchedTemplate();

  const second = await spawnDaemon({ config, directory: daemon.directory });
  const exit = await second.exited;

  expect(exit).toEqual({ code: 1, signal: null });
  expect(second.output).toContain(`is in use by process ${daemon.pid} on host`);
  await pollsGoOn(daemon);
});

test('a daemon whose lock was taken over exits with code 1, names the holder, and leaves it its lock', async () => {
  const { daemon } = await watchedTemplate();
  const lockFile = join(daemon.storagePath, 'lock');
  const holder = JSON.stringify({ ...(await foreignProcess()), pid: 4711 });

  await writeFile(lockFile, holder);
  const exit = await daemon.exited;

  expect(exit).toEqual({ code: 1, signal: null });
  const { err } = await daemon.logged('cannot go on');
  expect(err).toContain('is in use by process 4711 on host elsewhere');
  expect(await readFile(lockFile, 'utf8')).toBe(holder);
});

describe('a storage that fails never ends polling or serving, and what it missed is stored later', () => {
  test.each(['ENOSPC', 'EROFS', 'EACCES', 'EIO'])('writes that fail with %s', async (code) => {
    const disk = await orderedDisk();
    const { daemon, emulator, config } = await watchedTemplate(disk.options);

    await disk.fail(code);
    await survivesTrouble(daemon, emulator, code);
    await disk.setFree();

    await recovers(daemon);
    await restartShowsChange(daemon, config);
  });

  test('a directory that a file has taken the place of', async () => {
    const { daemon, emulator, config } = await watchedTemplate();
    const aside = `${daemon.storagePath}.aside`;

    await rename(daemon.storagePath, aside);
    await writeFile(daemon.storagePath, '');
    await survivesTrouble(daemon, emulator, 'ENOTDIR');
    await rm(daemon.storagePath);
    await rename(aside, daemon.storagePath);

    await recovers(daemon);
    await restartShowsChange(daemon, config);
  });

  test('a directory that was removed', async () => {
    const { daemon, emulator, config } = await watchedTemplate();

    await rm(daemon.storagePath, { recursive: true });
    emulator.state.setDefaultVersion({ region, templateId, version: 2 });
    await daemon.metricsWhen((samples) => samples.value(versionChanges) === 1);

    await recovers(daemon);
    await restartShowsChange(daemon, config);
  });

  test('a directory that a reload cannot read', async () => {
    const { daemon, emulator, config } = await watchedTemplate();
    const aside = `${daemon.storagePath}.aside`;

    await rename(daemon.storagePath, aside);
    await writeFile(daemon.storagePath, '');
    const response = await daemon.get('/-/reload', { method: 'POST' });
    expect(response.status).toBe(200);
    await survivesTrouble(daemon, emulator, 'ENOTDIR');
    await rm(daemon.storagePath);
    await rename(aside, daemon.storagePath);

    await recovers(daemon);
    await restartShowsChange(daemon, config);
  });
});

const region = 'ap-guangzhou';
const templateId = 'lt-b8v1kcyq';

/** A daemon that watches one template every second, and has its baseline. */
async function watchedTemplate(options: Pick<DaemonOptions, 'env' | 'nodeFlags'> = {}) {
  const emulator = await startEmulator({
    scenario: {
      accounts: [
        {
          name: 'sample',
          regions: [
            {
              name: region,
              launch_templates: [{ id: templateId, default_version: 1, versions: [1, 2] }],
            },
          ],
        },
      ],
    },
  });
  onTestFinished(() => emulator.close());
  const config: ConfigInput = {
    poll: { schedule: '* * * * * *' },
    api: { endpoint: emulator.url },
    accounts: [
      {
        name: 'production',
        credentials: { type: 'none' },
        regions: [{ name: region, launch_templates: [templateId] }],
      },
    ],
  };
  const daemon = await startDaemon({ config, ...options });
  await daemon.ready();
  return { daemon, emulator, config };
}

/** Lets the default version change while nothing can be stored. */
async function survivesTrouble(
  daemon: DaemonProcess,
  emulator: RunningEmulator,
  reason: string,
): Promise<void> {
  await daemon.metricsWhen((samples) => (samples.value(writeFailures) ?? 0) > 0);
  emulator.state.setDefaultVersion({ region, templateId, version: 2 });
  await daemon.metricsWhen((samples) => samples.value(versionChanges) === 1);
  await pollsGoOn(daemon);

  const ready = await daemon.get('/-/ready');
  expect(ready.status).toBe(200);
  const detail = await ready.text();
  expect(detail).toContain(`records cannot be stored: ${daemon.storagePath}`);
  expect(detail).toContain(reason);
  expect(linesAbout(daemon, 'records cannot be stored; polling goes on')).toHaveLength(1);
}

async function recovers(daemon: DaemonProcess): Promise<void> {
  await daemon.logged('records are stored again');
  expect(await (await daemon.get('/-/ready')).text()).not.toContain('cannot be stored');
}

/** What was counted in the trouble outlives the process. */
async function restartShowsChange(daemon: DaemonProcess, config: ConfigInput): Promise<void> {
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  const next = await startDaemon({ config, directory: daemon.directory });
  expect((await next.metrics()).value(versionChanges)).toBe(1);
}

/** Two more cycles run to their end. */
async function pollsGoOn(daemon: DaemonProcess): Promise<void> {
  const cycles = async () => (await daemon.metrics()).value('cvm_monitor_cycles_total') ?? 0;
  const before = await cycles();
  await expect.poll(cycles, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + 2);
}

function linesAbout({ log }: DaemonProcess, message: string) {
  return log.filter(({ msg }) => msg === message);
}
