import { once } from 'node:events';
import type { Logger } from '../log.ts';
import { forceExit, onSignals, type HandledSignal } from './signals.ts';

/** A program part that runs until it is stopped. */
export interface Running {
  stop(): Promise<unknown>;
  reload?(): Promise<unknown>;
}

export interface RunContext {
  /** Aborts when the process must end. */
  readonly signal: AbortSignal;
  /** Stops everything. The exit code is 1. */
  readonly fail: (error: unknown) => void;
}

/** Orchestrators usually kill a process after 10 s. This is well below. */
const stopTimeoutMs = 8_000;

/**
 * Starts a part, stops it at SIGTERM or SIGINT, and returns the exit code. SIGHUP reloads. A second signal ends
 * the process at once. An unhandled error does the same, because a process that continues after it might
 * serve old data forever.
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
      forceExit(1);
    }, stopTimeoutMs).unref();
  };
  const fail = (error: unknown) => {
    logger.error('unexpected error, the daemon stops', { err: error });
    end(1);
  };
  exitOnUnhandledErrors(logger);
  const started = start({ signal: ending.signal, fail });
  let stops = 0;
  onSignals((signal: HandledSignal) => {
    if (signal === 'SIGHUP') {
      // The start may have read the configuration before its last edit.
      void started.then(
        (running) => running.reload?.(),
        () => undefined,
      );
      return;
    }
    stops += 1;
    if (stops > 1) forceExit(1);
    logger.info('stopping', { signal });
    end(0);
  });

  try {
    const running = await started;
    if (!ending.signal.aborted) await once(ending.signal, 'abort');
    await running.stop();
  } catch (error) {
    if (error !== ending.signal.reason) throw error;
  }
  return exitCode;
}

function exitOnUnhandledErrors(logger: Logger): void {
  const exit = (error: unknown) => {
    logger.error('unhandled error', { err: error });
    process.exit(1);
  };
  process.on('uncaughtException', exit);
  process.on('unhandledRejection', exit);
}
