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
import { checkIncrease } from '../helpers/prometheus/increase.ts';
import { hasProgram } from '../helpers/programs.ts';

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
  const { err } = await daemon.logged('unexpected error, the daemon stops');
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
    emulator.do({ do: 'set-default-version', region, template_id: templateId, version: 2 });
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

describe('a storage that hangs is one that fails', () => {
  test('polls, scrapes, reloads and the stop go on; the problem is logged, counted and shown', async () => {
    const disk = await orderedDisk();
    const { daemon, emulator, config } = await watchedTemplate(disk.options);

    await disk.hold();
    await survivesTrouble(daemon, emulator, 'no answer within 2 s');
    const reload = await daemon.get('/-/reload', { method: 'POST' });
    const samples = await daemon.metrics();
    await disk.setFree();

    expect(reload.status).toBe(200);
    expect(samples.value('cvm_monitor_target_up', { template_id: templateId })).toBe(1);
    expect(samples.value('cvm_launch_template_default_version')).toBe(2);
    await recovers(daemon);
    await restartShowsChange(daemon, config);
  });

  test('a stop meanwhile ends with code 0, and the change is counted after the next start', async () => {
    const disk = await orderedDisk();
    const { daemon, emulator, config } = await watchedTemplate(disk.options);
    await disk.hold();
    await survivesTrouble(daemon, emulator, 'no answer within 2 s');

    const exit = await daemon.stop();

    expect(exit).toEqual({ code: 0, signal: null });
    expect(linesAbout(daemon, 'records were not stored before the end')).toHaveLength(1);
    const next = await startDaemon({ config, directory: daemon.directory });
    await next.ready();
    expect((await next.metrics()).value(versionChanges)).toBe(1);
  });

  test('a start meanwhile serves what it polls', async () => {
    const disk = await orderedDisk();
    await disk.hold();

    const { daemon } = await watchedTemplate(disk.options);

    expect((await daemon.metrics()).value('cvm_launch_template_default_version')).toBe(1);
  });
});

describe.runIf(hasProgram('promtool', 'prometheus'))('what was shown is never taken back', () => {
  test('by a kill while nothing can be stored: Prometheus counts the change once', async () => {
    const disk = await orderedDisk();
    const { daemon, emulator, config } = await watchedTemplate(disk.options);
    await countChanges(daemon, emulator, [2, 1, 2]);
    const scrapes = await scrapesOf(daemon);
    await disk.fail('ENOSPC');
    emulator.do({ do: 'set-default-version', region, template_id: templateId, version: 1 });
    scrapes.push(...(await scrapesOf(daemon, 4)));
    daemon.signal('SIGKILL');
    await daemon.exited;

    const next = await spawnDaemon({ config, directory: daemon.directory });
    onTestFinished(() => {
      next.signal('SIGKILL');
    });
    scrapes.push(...(await scrapesOf(next, 4)));

    expect(new Set(scrapes)).toEqual(new Set([3, 4, undefined]));
    await checkIncrease(scrapes, 1);
  });

  test('by a record that cannot be read at the start', async () => {
    const disk = await orderedDisk();
    const { daemon, config, scrapes } = await changedWhileStopped();

    await disk.failReads('EMFILE');
    const next = await startDaemon({ config, directory: daemon.directory, ...disk.options });
    await next.ready();
    await pollsGoOn(next);
    const unread = await next.metrics();
    const ready = await next.get('/-/ready');
    scrapes.push(unread.value(versionChanges));
    await disk.setFree();
    scrapes.push(...(await scrapesOf(next, 4)));

    expect(unread.value(versionChanges)).toBeUndefined();
    expect(unread.value('cvm_monitor_state_damaged_files_total')).toBe(0);
    expect(unread.value('cvm_launch_template_default_version')).toBe(1);
    expect(ready.status).toBe(200);
    expect(await ready.text()).toContain('stored records cannot be read: EMFILE');
    expect(linesAbout(next, 'stored records were read')).toHaveLength(1);
    await checkIncrease(scrapes, 1);
  });

  test('by a directory that is not there at the start', async () => {
    const { daemon, config, scrapes } = await changedWhileStopped();

    const aside = `${daemon.storagePath}.aside`;
    await rename(daemon.storagePath, aside);
    await writeFile(daemon.storagePath, '');
    const next = await startDaemon({ config, directory: daemon.directory });
    await next.ready();
    scrapes.push(...(await scrapesOf(next, undefined)));
    await rm(daemon.storagePath);
    await rename(aside, daemon.storagePath);
    scrapes.push(...(await scrapesOf(next, 4)));

    await checkIncrease(scrapes, 1);
  });

  test('by a volume that is mounted over the directory after the start', async () => {
    const { daemon, config, scrapes } = await changedWhileStopped();

    const aside = `${daemon.storagePath}.aside`;
    await rename(daemon.storagePath, aside);
    const next = await startDaemon({ config, directory: daemon.directory });
    scrapes.push(...(await scrapesOf(next, 0)));
    await rename(daemon.storagePath, `${aside}.empty`);
    await rename(aside, daemon.storagePath);
    await next.logged('a stored record appeared that was not known');
    scrapes.push(...(await scrapesOf(next, 1)));

    await checkIncrease(scrapes, 1);
  });

  test('by a reload that removes a target, and one that adds it, while nothing can be stored', async () => {
    const disk = await orderedDisk();
    const { daemon, emulator, config } = await watchedTemplate(disk.options);
    await disk.fail('ENOSPC');
    await countChanges(daemon, emulator, [2]);
    const scrapes = [0, ...(await scrapesOf(daemon))];

    await daemon.configure({
      ...config,
      accounts: [{ ...config.accounts[0]!, regions: ['ap-x'] }],
    });
    await daemon.get('/-/reload', { method: 'POST' });
    scrapes.push((await daemon.metrics()).value(versionChanges));
    await daemon.configure(config);
    await daemon.get('/-/reload', { method: 'POST' });
    scrapes.push(...(await scrapesOf(daemon, 1)));
    await pollsGoOn(daemon);
    scrapes.push(...(await scrapesOf(daemon, 1)));

    expect(new Set(scrapes)).toEqual(new Set([0, 1, undefined]));
    await checkIncrease(scrapes, 1);
  });
});

test('a second daemon on a full disk is refused as on any other', async () => {
  const disk = await orderedDisk();
  const { daemon, config } = await watchedTemplate();

  await disk.fail('ENOSPC');
  const second = await spawnDaemon({ config, directory: daemon.directory, ...disk.options });
  const exit = await second.exited;

  expect(exit).toEqual({ code: 1, signal: null });
  expect(second.output).toContain(`is in use by process ${daemon.pid} on host`);
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

/** A daemon that had counted three changes when it was stopped; since then there was a fourth one. */
async function changedWhileStopped() {
  const { daemon, emulator, config } = await watchedTemplate();
  await countChanges(daemon, emulator, [2, 1, 2]);
  const scrapes = await scrapesOf(daemon);
  await daemon.stop();
  emulator.do({ do: 'set-default-version', region, template_id: templateId, version: 1 });
  return { daemon, config, scrapes };
}

/** Lets the default version change while nothing can be stored. */
async function survivesTrouble(
  daemon: DaemonProcess,
  emulator: RunningEmulator,
  reason: string,
): Promise<void> {
  emulator.do({ do: 'set-default-version', region, template_id: templateId, version: 2 });
  await daemon.metricsWhen((samples) => (samples.value(writeFailures) ?? 0) > 0);
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
  await next.ready();
  expect((await next.metrics()).value(versionChanges)).toBe(1);
}

/** Sets the default version to each of these in turn, when the one before was counted. */
async function countChanges(
  daemon: DaemonProcess,
  emulator: RunningEmulator,
  versions: readonly number[],
): Promise<void> {
  for (const [index, version] of versions.entries()) {
    emulator.do({ do: 'set-default-version', region, template_id: templateId, version });
    await daemon.metricsWhen((samples) => samples.value(versionChanges) === index + 1);
  }
}

/** What every scrape shows of the counter, from now until one shows `last`; by default one scrape. */
async function scrapesOf(
  daemon: DaemonProcess,
  ...until: [last?: number]
): Promise<(number | undefined)[]> {
  const values: (number | undefined)[] = [];
  await daemon.metricsWhen((samples) => {
    values.push(samples.value(versionChanges));
    return until.length === 0 || values.at(-1) === until[0];
  });
  return values;
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
