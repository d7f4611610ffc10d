import { once } from 'node:events';
import { readBuildInfo, type Runtime } from '../daemon/runtime.ts';
import { createLogger, type Logger } from '../log.ts';
import type { BuildInfo } from '../model/monitor-status.ts';
import { processRuntime } from './command.ts';
import type { LogFlags } from './options.ts';
import { forceExit, onSignals } from './signals.ts';

/** A program part that runs until it is stopped. */
export interface RunningPart {
  stop(): Promise<unknown>;
  reload?(): Promise<unknown>;
}

/** What a part needs that runs until it is stopped. */
export interface RunContext extends Runtime {
  readonly build: BuildInfo;
  readonly logger: Logger;
  /** Aborts when the process must end. */
  readonly signal: AbortSignal;
  /** Stops everything. The exit code is 1. */
  readonly onFatal: (error: unknown) => void;
}

/** Orchestrators usually kill a process after 10 s. This is well below. */
const stopTimeoutMs = 8_000;

/**
 * Starts a part, stops it at SIGTERM or SIGINT, and returns the exit code. SIGHUP reloads. A second signal ends
 * the process at once. An unhandled error does the same, because a process that continues after it might
 * serve old data forever.
 */
export async function runUntilSignal(
  flags: LogFlags,
  start: (context: RunContext) => Promise<RunningPart>,
): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
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
  const onFatal = (error: unknown) => {
    logger.error('unexpected error, the daemon stops', { err: error });
    end(1);
  };
  // An unhandled rejection becomes an uncaught exception.
  process.on('uncaughtException', (error) => {
    logger.error('unhandled error', { err: error });
    process.exit(1);
  });
  const build = readBuildInfo(process.env);
  const { signal } = ending;
  const started = start({ ...processRuntime(), build, logger, signal, onFatal });
  let stops = 0;
  onSignals((received) => {
    if (received === 'SIGHUP') {
      // The start may have read the configuration before its last edit.
      void started.then(
        (running) => running.reload?.(),
        () => undefined,
      );
      return;
    }
    stops += 1;
    if (stops > 1) forceExit(1);
    logger.info('stopping', { signal: received });
    end(0);
  });

  try {
    const running = await started;
    if (!signal.aborted) await once(signal, 'abort');
    await running.stop();
  } catch (error) {
    if (error !== signal.reason) throw error;
  }
  return exitCode;
}
