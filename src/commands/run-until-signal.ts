/**
 * Runs what does not end by itself, for `serve`, `demo` and `emulate`. It starts; it runs until a signal or a fatal error; it
 * stops within 7 s, or the process is ended. Log, signals and errors that nothing else handles are the same for all three.
 */
import { once } from 'node:events';
import type { DaemonOptions } from '../daemon/daemon.ts';
import { readBuildInfo, type Runtime } from '../daemon/runtime.ts';
import { createLogger } from '../log.ts';
import { processRuntime } from './command.ts';
import type { LogFlags } from './options.ts';
import { forceExit, onSignals } from './signals.ts';

/** A daemon or an emulator that runs until it is stopped. */
export interface RunningPart {
  /** Called once. */
  stop(): Promise<unknown>;
  /** Called for each SIGHUP. Absent: SIGHUP does nothing. */
  reload?(): Promise<unknown>;
}

/**
 * The parameters of the start of a {@link RunningPart}. `signal` aborts when the process must end, also during the start.
 * `onFatal` takes an error after which the part must stop.
 */
export type RunContext = Pick<
  DaemonOptions,
  keyof Runtime | 'build' | 'logger' | 'signal' | 'onFatal'
>;

/** Time in which a stop must end. Orchestrators usually kill a process after 10 s, and `forceExit` takes up to 2 s. */
const stopTimeoutMs = 7_000;

/**
 * Starts a part, and stops it at SIGTERM or SIGINT. SIGHUP reloads. A second SIGTERM or SIGINT ends the process at once, also
 * during a file call that hangs. An unhandled error ends it by `process.exit(1)`: if the process continued, it might serve
 * old data forever.
 *
 * @param start rejects with the reason of `signal` if it aborts during the start, which is no error
 * @returns the exit code: 1 after a fatal error, else 0
 */
export async function runUntilSignal(
  flags: LogFlags,
  start: (context: RunContext) => Promise<RunningPart>,
): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  const ending = new AbortController();
  let exitCode = 0;

  /** Stops the part. Of several calls, the highest code counts. */
  const end = (code: number) => {
    exitCode = Math.max(exitCode, code);
    ending.abort();
    setTimeout(() => {
      logger.error('stopping took too long');
      forceExit(1);
    }, stopTimeoutMs).unref();
  };
  /** Logs the error and stops everything. The exit code is then 1. */
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
      // During the start, wait for it: it may have read the configuration before its last edit.
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
