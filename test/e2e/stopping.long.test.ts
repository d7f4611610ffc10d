/** Every way to end the daemon, in every phase. Exit code 0 also says that it took less than 10 s. */
import { execFileSync } from 'node:child_process';
import { collectors } from '../../src/collectors/collectors.ts';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  startEmulator,
  type FaultRuleInput,
  type RunningEmulator,
} from '../../src/emulator/emulator.ts';
import { parseRecord } from '../../src/state/record-file.ts';
import {
  spawnDaemon,
  startDaemon,
  type ConfigInput,
  type DaemonProcess,
} from '../helpers/daemon-process.ts';
import { temporaryDirectory } from '../helpers/directories.ts';
import { fileEvent } from '../helpers/file-events.ts';
import { foreignProcess } from '../helpers/file-stores.ts';
import { orderedDisk } from '../helpers/ordered-disk.ts';

const cleanExit = { code: 0, signal: null };

describe.each(['SIGTERM', 'SIGINT'] as const)('%s ends a daemon with exit code 0', (signal) => {
  test('that waits for the next cycle', async () => {
    const daemon = await startDaemon({ config: configFor(await service()) });
    await daemon.ready();

    const exit = await daemon.stop(signal);

    expect(exit).toEqual(cleanExit);
  });

  test('that waits for a lock whose holder cannot be asked', async () => {
    const { daemon, lockFile } = await waitingForLock();

    const exit = await daemon.stop(signal);

    expect(exit).toEqual(cleanExit);
    expect(await readFile(lockFile, 'utf8')).toContain('elsewhere');
  });

  test('whose requests are never answered', async () => {
    const emulator = await service({ effect: 'hang' });
    const daemon = await startDaemon({ config: configFor(emulator) });
    await received(emulator);

    const exit = await daemon.stop(signal);

    expect(exit).toEqual(cleanExit);
    expect(errorsOf(daemon)).toEqual([]);
  });

  test('that waits to try a request again', async () => {
    const emulator = await service({ effect: 'error', code: 'InternalError' });
    const daemon = await startDaemon({ config: configFor(emulator) });
    await received(emulator);

    const exit = await daemon.stop(signal);

    expect(exit).toEqual(cleanExit);
  });

  test('that waits out the jitter of a cycle', async () => {
    const config = configFor(await service(), { schedule: '* * * * * *', jitter: '10m' });
    const daemon = await startDaemon({ config });
    const next = 'cvm_monitor_next_cycle_timestamp_seconds';
    const first = await daemon.metricsWhen((each) => each.value('cvm_monitor_cycles_total') === 1);
    await daemon.metricsWhen((each) => each.value(next)! > first.value(next)!);

    const exit = await daemon.stop(signal);

    expect(exit).toEqual(cleanExit);
  });

  test('that stores records, when they are stored', async () => {
    const { daemon, disk } = await holdingWrites();
    daemon.signal(signal);
    await daemon.logged('stopping');

    await disk.setFree();
    const exit = await daemon.exited;

    expect(exit).toEqual(cleanExit);
    const records = await storedRecords(daemon);
    const kinds = new Set(records.map(({ seen }) => seen.snapshot?.kind));
    expect(kinds).toEqual(new Set(['launch-template', 'quota']));
  });

  test('that reloads its configuration', async () => {
    const daemon = await startDaemon({ config: configFor(await service()) });
    await daemon.configure(configFor(await service()));
    daemon.signal('SIGHUP');

    const exit = await daemon.stop(signal);

    expect(exit).toEqual(cleanExit);
    expect(errorsOf(daemon)).toEqual([]);
  });

  test('that has half a request for a scrape', async () => {
    const daemon = await startDaemon({ config: configFor(await service()) });
    const socket = createConnection(Number(new URL(await daemon.serving()).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n');
    await daemon.ready();

    const exit = await daemon.stop(signal);

    expect(exit).toEqual(cleanExit);
    socket.destroy();
  });
});

test('a daemon that is stopping answers scrapes until all is stored', async () => {
  const { daemon, disk } = await holdingWrites();
  daemon.signal('SIGTERM');
  await daemon.logged('stopping');

  const samples = await daemon.metrics();

  expect(samples.value('cvm_monitor_build_info')).toBe(1);
  await disk.setFree();
  expect(await daemon.exited).toEqual(cleanExit);
  await expect(daemon.get('/metrics')).rejects.toThrow();
});

test('a reload that is asked for while the daemon stops is refused', async () => {
  const { daemon, disk } = await holdingWrites();
  daemon.signal('SIGTERM');
  await daemon.logged('stopping');

  const response = await daemon.get('/-/reload', { method: 'POST' });

  expect(response.status).toBe(500);
  expect(await response.text()).toBe('the daemon is stopping\n');
  daemon.signal('SIGHUP');
  await disk.setFree();
  expect(await daemon.exited).toEqual(cleanExit);
});

test('a SIGHUP before the daemon serves does not end it', async () => {
  const { daemon } = await waitingForLock();

  daemon.signal('SIGHUP');
  const exit = await daemon.stop();

  expect(exit).toEqual(cleanExit);
});

test('a SIGHUP before the daemon serves makes it read the configuration again', async () => {
  const { daemon, lockFile } = await waitingForLock();
  await daemon.configure({
    accounts: [{ name: 'newer', credentials: { type: 'none' }, regions: ['ap-x', 'ap-y', 'ap-z'] }],
  });

  daemon.signal('SIGHUP');
  await rm(lockFile);

  expect(await daemon.logged('configuration reloaded')).toMatchObject({ targets: 3 });
  expect(await daemon.stop()).toEqual(cleanExit);
});

test('a second signal ends a daemon at once', async () => {
  const { daemon } = await holdingWrites();
  daemon.signal('SIGTERM');
  await daemon.logged('stopping');

  const exit = await daemon.stop('SIGINT');

  expect(exit).toEqual({ code: 1, signal: null });
  expect(errorsOf(daemon)).toEqual([]);
});

test('a storage that hangs keeps no daemon from ending, which names what it could not store', async () => {
  const { daemon } = await holdingWrites();

  const exit = await daemon.stop();

  expect(exit).toEqual(cleanExit);
  const { records, targets } = await daemon.logged('records were not stored before the end');
  expect(records).toBe(2);
  expect(targets).toContain('production@ap-guangzhou@DescribeAccountQuota');
});

test('a daemon ends although the kernel never answers a call to its storage', async () => {
  const daemon = await startDaemon({ config: configFor(await service()) });
  await daemon.ready();
  const lockFile = join(daemon.storagePath, 'lock');
  await rm(lockFile);
  // Reading a pipe that nothing is written to takes a thread for ever, as a dead network volume does.
  execFileSync('mkfifo', [lockFile]);
  await delay(4_000);

  const exit = await daemon.stop();

  expect(exit.code === 0 || exit.signal === 'SIGKILL').toBe(true);
  expect(errorsOf(daemon)).not.toContain('stopping took too long');
});

test('a daemon ends during its start although the kernel never answers a call to its storage', async () => {
  const directory = await temporaryDirectory();
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const fixture = new URL('../fixtures/process/dead-disk.js', import.meta.url);
  const daemon = await spawnDaemon({
    config: configFor(await service()),
    directory,
    nodeFlags: [`--import=${fixture.href}`],
    env: { DEAD_DISK: pipe },
  });
  onTestFinished(() => {
    daemon.signal('SIGKILL');
  });
  while (!daemon.output.includes('hanging')) await delay(5);

  const exit = await daemon.stop();

  expect(exit.code === 0 || exit.signal === 'SIGKILL').toBe(true);
  expect(errorsOf(daemon)).not.toContain('stopping took too long');
});

describe('a disk that is slow, and never so slow that a call counts as failed,', () => {
  test('keeps no daemon from ending, which names what it could not store', async () => {
    const { config, disk } = await manyTargets();
    const daemon = await startDaemon({ config, ...disk.options });
    await disk.slowDown();
    await delay(2_500);

    const exit = await daemon.stop();

    expect(exit).toEqual(cleanExit);
    expect(errorsOf(daemon)).toEqual(['records were not stored before the end']);
    const { reason, targets } = await daemon.logged('records were not stored before the end');
    expect(reason).toBe('the storage is too slow');
    expect(targets).toHaveLength(10);
  });

  test('keeps no daemon from ending that lacks only the time for the last gauges', async () => {
    const { config, disk } = await manyTargets();
    const daemon = await startDaemon({ config, ...disk.options });
    await daemon.metricsWhen((each) => each.value('cvm_monitor_cycles_total')! > 1);
    await disk.slowDown();

    const exit = await daemon.stop();

    expect(exit).toEqual(cleanExit);
    expect(errorsOf(daemon)).toEqual([]);
    const { records, reason } = await daemon.logged(
      'the last gauges were not stored before the end',
    );
    expect(reason).toBe('the storage is too slow');
    expect(records).toBeGreaterThan(0);
  });

  test.each([
    ['takes its lock', expect.stringMatching(/^lock\.tmp-/) as string],
    ['reads its records', 'lock'],
  ])('keeps no daemon from ending that %s', async (_, fileOfPhase) => {
    const { config, disk } = await manyTargets();
    const before = await startDaemon({ config });
    await before.ready();
    await before.stop();
    await disk.slowDown();
    const daemon = await spawnDaemon({ config, directory: before.directory, ...disk.options });
    onTestFinished(() => {
      daemon.signal('SIGKILL');
    });
    const files = () => storedFiles(daemon);
    await expect.poll(files).toContainEqual(fileOfPhase);

    const exit = await daemon.stop();

    expect(exit).toEqual(cleanExit);
    expect(errorsOf(daemon)).toEqual([]);
  });
});

test.each([
  ['an exception', 'exception'],
  ['a rejection', 'rejection'],
])(
  '%s that is not handled is logged with its stack, and ends the daemon with exit code 1',
  async (_what, mistake) => {
    const fixture = new URL('../fixtures/process/mistake.js', import.meta.url);
    const daemon = await startDaemon({
      config: configFor(await service()),
      nodeFlags: [`--import=${fixture.href}`],
      env: { MISTAKE: mistake },
    });

    daemon.signal('SIGUSR2');
    const exit = await daemon.exited;

    expect(exit).toEqual({ code: 1, signal: null });
    const { err } = await daemon.logged('unhandled error');
    expect(err).toMatch(/^Error: a mistake of the test\n +at .*mistake\.js/);
  },
);

async function service(fault?: FaultRuleInput): Promise<RunningEmulator> {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  if (fault !== undefined) emulator.faults.add(fault);
  return emulator;
}

/** Nothing in it ends by itself: what is waited for here takes longer than any test. */
function configFor(emulator: RunningEmulator, poll: ConfigInput['poll'] = {}): ConfigInput {
  return {
    poll: { schedule: '0 0 1 1 *', ...poll },
    api: { endpoint: emulator.url, timeout: '10m', max_attempts: 10 },
    accounts: [
      {
        name: 'production',
        credentials: { type: 'none' },
        regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }],
      },
    ],
  };
}

/** A configuration whose records a slow disk takes 15 s to read, and longer to write. */
async function manyTargets() {
  const emulator = await service();
  const regions = Array.from({ length: 30 }, (_, i) => `ap-${i}`);
  const config: ConfigInput = {
    poll: { schedule: '* * * * * *' },
    api: { endpoint: emulator.url },
    accounts: [{ name: 'production', credentials: { type: 'none' }, regions }],
  };
  return { config, disk: await orderedDisk() };
}

/** Waits until the daemon's requests have arrived. */
async function received(emulator: RunningEmulator): Promise<void> {
  await expect.poll(() => emulator.requests.total).toBeGreaterThanOrEqual(2);
}

/** A daemon of whose first records the text is written, and which cannot put them in place. */
async function holdingWrites() {
  const disk = await orderedDisk();
  await disk.hold();
  const daemon = await startDaemon({ config: configFor(await service()), ...disk.options });
  await expect.poll(async () => (await storedFiles(daemon)).join()).toContain('.json.tmp-');
  const answered = async () =>
    (await daemon.metrics())
      .matching('cvm_monitor_api_request_duration_seconds_count')
      .reduce((sum, { value }) => sum + value, 0);
  await expect.poll(answered).toBe(2);
  return { daemon, disk };
}

/** A daemon whose storage another machine may have: it watches the lock for a while. */
async function waitingForLock() {
  const directory = await temporaryDirectory();
  const storagePath = join(directory, 'data');
  const lockFile = join(storagePath, 'lock');
  await mkdir(storagePath);
  await writeFile(lockFile, JSON.stringify(await foreignProcess()));
  const isLooking = fileEvent(storagePath, { type: 'rename', name: /^lock\.tmp-/, count: 2 });
  const daemon = await spawnDaemon({ config: configFor(await service()), directory });
  onTestFinished(() => {
    daemon.signal('SIGKILL');
  });
  await isLooking;
  return { daemon, lockFile };
}

async function storedFiles({ storagePath }: DaemonProcess): Promise<readonly string[]> {
  return readdir(storagePath);
}

async function storedRecords(daemon: DaemonProcess) {
  const files = await storedFiles(daemon);
  const texts = files.map((file) => readFile(join(daemon.storagePath, file), 'utf8'));
  return (await Promise.all(texts)).map((text) => parseRecord(text, collectors));
}

function errorsOf({ log }: DaemonProcess): readonly string[] {
  return log.filter(({ level }) => level === 'error').map(({ msg }) => msg);
}
