import { spawn } from 'node:child_process';
import type { Logger } from '../../logging/logger.ts';
import { onSignals, type HeededSignal } from './signals.ts';

/** Something that runs until it is stopped. */
export interface Running {
  stop(): Promise<unknown>;
  reload?(): Promise<unknown>;
}

export interface RunContext {
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
  /** Ends everything with exit code 1. */
  readonly fail: (error: unknown) => void;
}

/** Well within the 10 s that an orchestrator commonly waits before it kills. */
const stopTimeoutMs = 8_000;

/**
 * Runs something until SIGTERM or SIGINT, stops it, and gives the exit code. SIGHUP reloads. A second
 * signal ends the process at once, and so does an error that no code handled: a process that lives on
 * after one might serve old data for ever.
 */
export async function runUntilSignal(
  start: (context: RunContext) => Promise<Running>,
  logger: Logger,
): Promise<number> {
  const ending = new AbortController();
  let exitCode = 0;

  const end = (code: number) => {
    exitCode = Math.max(exitCode, code);
    ending.abort();
    setTimeout(() => {
      logger.error('stopping took too long');
      exitForSure(1);
    }, stopTimeoutMs).unref();
  };
  const fail = (error: unknown) => {
    logger.error('cannot go on', { err: error });
    end(1);
  };
  dieOnUnhandledErrors(logger);
  let running: Running | null = null;
  const asked = { toReload: false };
  let stops = 0;
  onSignals((signal: HeededSignal) => {
    if (signal === 'SIGHUP') {
      asked.toReload = running === null;
      void running?.reload?.();
      return;
    }
    stops += 1;
    if (stops > 1) exitForSure(1);
    logger.info('stopping', { signal });
    end(0);
  });

  try {
    running = await start({ signal: ending.signal, fail });
  } catch (error) {
    const isAsked = error === ending.signal.reason;
    endDespiteHungCalls(() => (isAsked ? exitCode : 1));
    if (!isAsked) throw error;
    return exitCode;
  }
  // Asked for during the start, which may have read the configuration before its last edit.
  if (asked.toReload) void running.reload?.();
  await aborted(ending.signal);
  await running.stop();
  endDespiteHungCalls(() => exitCode);
  return exitCode;
}

/** How long the process may take to end by itself when everything was stopped. */
const lingerMs = 500;

/** Ends a process that only a call to a hanging storage keeps alive. */
function endDespiteHungCalls(exitCode: () => number): void {
  setTimeout(() => {
    exitForSure(exitCode());
  }, lingerMs).unref();
}

/**
 * Node waits at its end for the threads of its pool, and so for ever where the kernel does not answer:
 * another process then kills this one.
 */
function exitForSure(exitCode: number): never {
  const killer = `setTimeout(() => process.ppid === ${process.pid} && process.kill(${process.pid}, 'SIGKILL'), 500)`;
  spawn(process.execPath, ['--eval', killer], { detached: true, stdio: 'ignore' }).unref();
  process.exit(exitCode);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
}

function dieOnUnhandledErrors(logger: Logger): void {
  const die = (error: unknown) => {
    logger.error('unhandled error', { err: error });
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
}
