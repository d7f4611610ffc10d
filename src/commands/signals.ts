/**
 * The signals that the program handles. This file imports almost nothing: main.ts loads it before everything
 * else, so that signals are also handled while the program is loading.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const handled = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
export type HandledSignal = (typeof handled)[number];

/** SIGUSR1 is ignored: without a handler, Node.js would open its inspector to everyone who can connect to the machine. */
process.on('SIGUSR1', () => undefined);

/**
 * Replaces the handler of SIGTERM, SIGINT and SIGHUP. main.ts sets one while the program loads; the commands that poll or
 * serve set their own, and the others keep it.
 */
export function onSignals(handler: (signal: HandledSignal) => void): void {
  for (const signal of handled) {
    const replaced = process.listeners(signal);
    // Add the new handler first. Without any handler, a signal would kill the process in between.
    process.on(signal, handler);
    for (const listener of replaced) process.off(signal, listener);
  }
}

/** The exit code that shells use for a program that a signal ended. */
export function exitCodeOf(signal: HandledSignal): number {
  return 128 + constants.signals[signal];
}

/** The commands that run until a signal stops them. For these, a signal is not a failure. */
const untilStopped: readonly (string | undefined)[] = ['serve', 'demo', 'emulate'];

/**
 * The handler while the program is loading, and of commands that have nothing to stop. SIGTERM and SIGINT end the process at
 * once.
 * SIGHUP needs no action: the daemon will read the newest configuration at its start.
 */
export function handlerWhileLoading(command: string | undefined): (signal: HandledSignal) => void {
  const runsUntilStopped = untilStopped.includes(command);
  return (signal) => {
    if (runsUntilStopped && signal === 'SIGHUP') return;
    forceExit(runsUntilStopped ? 0 : exitCodeOf(signal));
  };
}

const lingerMs = 500;
/** Long enough for exit handlers on a busy machine. A stop takes at most 7 s before it, so the process ends within 10 s. */
const killAfterMs = 2_000;

/** Ends the process in half a second, if something such as a file call that hangs still keeps it alive then. Returns at once. */
export function forceExitSoon(exitCode: number): void {
  setTimeout(forceExit, lingerMs, exitCode).unref();
}

/**
 * Ends the process, also if a call to a file system never ends. Node.js waits at its end for the threads of such calls,
 * so a second process kills this one if it is still there after 2 s.
 */
export function forceExit(exitCode: number): never {
  const killer = `setTimeout(() => process.ppid === ${process.pid} && process.kill(${process.pid}, 'SIGKILL'), ${killAfterMs})`;
  spawn(process.execPath, ['--eval', killer], { detached: true, stdio: 'ignore' }).unref();
  process.exit(exitCode);
}
