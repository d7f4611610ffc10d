/** Ends a process although a call to a hanging storage never ends. */
import { spawn } from 'node:child_process';

/** Time in which the process must end after everything was stopped. */
const lingerMs = 500;

/** Ends a process that is still alive only because of a call to a hanging storage. */
export function forceExitSoon(exitCode: () => number): void {
  setTimeout(() => {
    forceExit(exitCode());
  }, lingerMs).unref();
}

/**
 * Ends the process in every case. At its end, Node.js waits for the threads of its pool. If the kernel never
 * answers a call, it waits forever. Another process then kills this process.
 */
export function forceExit(exitCode: number): never {
  const killer = `setTimeout(() => process.ppid === ${process.pid} && process.kill(${process.pid}, 'SIGKILL'), 500)`;
  spawn(process.execPath, ['--eval', killer], { detached: true, stdio: 'ignore' }).unref();
  process.exit(exitCode);
}
