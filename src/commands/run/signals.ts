/**
 * Which signals the program heeds, and who gets them. Imports next to nothing: main.ts loads it before
 * everything else, so that a signal during the loading is heeded too.
 */
import { constants } from 'node:os';

const heeded = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
export type HeededSignal = (typeof heeded)[number];

/** From now on this handler alone gets the signals. */
export function onSignals(handler: (signal: HeededSignal) => void): void {
  for (const signal of heeded) {
    const former = process.listeners(signal);
    // First the new one: without any handler, the system's own action would apply in between.
    process.on(signal, handler);
    for (const listener of former) process.off(signal, listener);
  }
}

/** The exit code by which a shell tells that a signal ended a program. */
export function exitCodeOf(signal: HeededSignal): number {
  return 128 + constants.signals[signal];
}

/** The commands that run until a signal stops them, which is no failure. */
const untilStopped: readonly (string | undefined)[] = ['serve', 'demo', 'emulate'];

/**
 * What a signal means while the program is loaded: nothing runs that would need to be stopped, so the
 * process ends at once. SIGHUP asks a daemon for the newest configuration, which it is yet to read.
 */
export function whileLoading(command: string | undefined): (signal: HeededSignal) => void {
  const runsUntilStopped = untilStopped.includes(command);
  return (signal) => {
    if (runsUntilStopped && signal === 'SIGHUP') return;
    process.exit(runsUntilStopped ? 0 : exitCodeOf(signal));
  };
}
