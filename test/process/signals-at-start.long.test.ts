/** Signals that come before the program has begun its work. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFile } from '../support/directories.ts';
import { mainFile, preload, spawnDaemon, startProgram } from '../support/program.ts';
import { hasProgram } from '../support/programs.ts';

const slowLoading = preload('slow-loading');
const config = 'accounts: [{ name: a, credentials: { type: none }, regions: [ap-x] }]';

/** Whether a process may have a namespace of its own; where it may not, the reason is printed. */
function canUnshare(): boolean {
  if (!hasProgram('unshare', 'util-linux')) return false;
  try {
    execFileSync('unshare', ['--pid', '--fork', 'true'], { stdio: 'pipe' });
    return true;
  } catch (error) {
    console.warn(`skipped: ${String(error)}`);
    return false;
  }
}

test.each([
  ['serve', 'SIGTERM', 0],
  ['serve', 'SIGINT', 0],
  ['demo', 'SIGTERM', 0],
  ['emulate', 'SIGTERM', 0],
  ['check', 'SIGTERM', 143],
  ['check', 'SIGHUP', 129],
  ['check-config', 'SIGINT', 130],
] as const)(
  'while the program is loaded, %s ends at %s with exit code %d',
  async (command, signal, code) => {
    const running = startProgram(process.execPath, [slowLoading, mainFile, command]);
    await running.shows(/^loading/);

    running.signal(signal);

    expect(await running.result).toEqual({ code, stdout: '', stderr: 'loading\n' });
  },
);

test('while the program is loaded, serve goes on at SIGHUP', async () => {
  const daemon = await spawnDaemon({
    config,
    nodeFlags: [slowLoading],
    env: { LOADING_MS: '300' },
  });
  while (!daemon.output.includes('loading')) await delay(5);

  daemon.signal('SIGHUP');
  await daemon.url();

  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
});

test.runIf(canUnshare())(
  'while the program is loaded, process 1 of a container ends at SIGTERM',
  async () => {
    const log = await temporaryFile('log', '');
    const script = `sh -c 'while ! grep -q loading "$LOG"; do sleep 0.02; done; kill -TERM 1' & exec "$0" "$@" 2>"$LOG"`;
    const running = startProgram(
      'unshare',
      [
        '--pid',
        '--fork',
        '--kill-child',
        'sh',
        '-c',
        script,
        process.execPath,
        slowLoading,
        mainFile,
        'serve',
      ],
      { ...process.env, LOG: log },
    );

    expect((await running.result).code).toBe(0);
  },
);

/** Whether a process has a handler for SIGHUP, which Node itself has none for. */
function heedsSignals(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, caught = '0'] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}

/** A daemon so long after its first instruction. */
async function startedFor(delayMs: number) {
  const daemon = await spawnDaemon({ config });
  while (!heedsSignals(daemon.pid)) await delay(1);
  await delay(delayMs);
  return daemon;
}

test.runIf(process.platform === 'linux').each([0, 20, 80, 160, 300, 600])(
  'a daemon ends with 0 at SIGTERM, also %d ms after its first instruction',
  async (delayMs) => {
    const daemon = await startedFor(delayMs);

    const exit = await daemon.stop();

    expect(exit).toEqual({ code: 0, signal: null });
  },
);

test.runIf(process.platform === 'linux').each([0, 50, 200])(
  'a daemon serves in spite of SIGHUP, also %d ms after its first instruction',
  async (delayMs) => {
    const daemon = await startedFor(delayMs);

    daemon.signal('SIGHUP');
    await daemon.url();

    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  },
);

test('SIGUSR1 opens no inspector, and ends nothing', async () => {
  const daemon = await spawnDaemon({ config });
  await daemon.url();

  daemon.signal('SIGUSR1');
  daemon.signal('SIGHUP');
  await daemon.logged('configuration is unchanged');

  expect(daemon.output).not.toContain('Debugger listening');
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
});
