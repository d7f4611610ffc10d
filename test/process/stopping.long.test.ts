/** Ends of the daemon that no scenario has. Exit code 0 also says that it took less than 10 s. */
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';
import { emulateRegions } from '../support/emulator.ts';
import { configOf, preload, spawnDaemon, startWatched, type Daemon } from '../support/program.ts';

test('a daemon that waits out the jitter of a cycle ends with exit code 0', async () => {
  const { daemon } = await startWatched({ poll: { jitter: '10m' } });
  const next = 'cvm_monitor_next_cycle_timestamp_seconds';
  const first = await daemon.metricsWhen((each) => each.sum('cvm_monitor_cycles_total') === 1);
  await daemon.metricsWhen((each) => each.value(next)! > first.value(next)!);

  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
});

test('a daemon ends although the kernel never answers a call to its storage', async () => {
  const { daemon } = await startWatched(quiet);
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
  const daemon = await spawnDaemon({
    config: configOf(await emulateRegions('ap-guangzhou'), quiet),
    directory,
    nodeFlags: [preload('dead-disk')],
    env: { DEAD_DISK: pipe },
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
    const { daemon } = await startWatched(quiet, {
      nodeFlags: [preload('mistake')],
      env: { MISTAKE: mistake },
    });

    daemon.signal('SIGUSR2');
    const exit = await daemon.exited;

    expect(exit).toEqual({ code: 1, signal: null });
    const { err } = await daemon.logged('unhandled error');
    expect(err).toMatch(/^Error: a mistake of the test\n +at .*mistake\.js/);
  },
);

/** Nothing in it ends by itself: what is waited for here takes longer than any test. */
const quiet = {
  poll: { schedule: '0 0 1 1 *' },
  api: { timeout: '10m', max_attempts: 10 },
};

function errorsOf({ log }: Daemon): readonly string[] {
  return log.filter(({ level }) => level === 'error').map(({ msg }) => msg);
}
