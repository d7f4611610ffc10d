/** Ends of the daemon that no scenario has. Exit code 0 also says that it took less than 10 s. */
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../src/emulator/emulator.ts';
import type { ConfigInput } from '../support/monitor.ts';
import { spawnDaemon, startDaemon, type Daemon } from '../support/program.ts';
import { temporaryDirectory } from '../support/directories.ts';

const cleanExit = { code: 0, signal: null };

describe.each(['SIGTERM', 'SIGINT'] as const)('%s ends a daemon with exit code 0', (signal) => {
  test('that waits out the jitter of a cycle', async () => {
    const config = configFor(await service(), { schedule: '* * * * * *', jitter: '10m' });
    const daemon = await startDaemon({ config });
    const next = 'cvm_monitor_next_cycle_timestamp_seconds';
    const first = await daemon.metricsWhen((each) => each.sum('cvm_monitor_cycles_total') === 1);
    await daemon.metricsWhen((each) => each.value(next)! > first.value(next)!);

    const exit = await daemon.stop(signal);

    expect(exit).toEqual(cleanExit);
  });
});

test('a daemon ends although the kernel never answers a call to its storage', async () => {
  const daemon = await startDaemon({ config: configFor(await service()) });
  const lockFile = join(daemon.storagePath, 'lock.1');
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
  const fixture = new URL('../support/fixtures/process/dead-disk.js', import.meta.url);
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

test.each([
  ['an exception', 'exception'],
  ['a rejection', 'rejection'],
])(
  '%s that is not handled is logged with its stack, and ends the daemon with exit code 1',
  async (_what, mistake) => {
    const fixture = new URL('../support/fixtures/process/mistake.js', import.meta.url);
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

async function service(): Promise<RunningEmulator> {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
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

function errorsOf({ log }: Daemon): readonly string[] {
  return log.filter(({ level }) => level === 'error').map(({ msg }) => msg);
}
