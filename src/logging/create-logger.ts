/** The program's log: one line per event, a static message and fields, logfmt or JSON. */
import { pino } from 'pino';
import type { LogFormat, LogLevel } from './log-options.ts';
import { logfmtLine } from './logfmt.ts';
import type { Logger } from './logger.ts';

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Takes one line with its newline; standard error when absent. */
  readonly write?: ((line: string) => void) | undefined;
}

/** A logger that writes to standard error, each line at once, so that a dying process loses none. */
export function createLogger(options: LogOptions): Logger {
  const write =
    options.write ??
    ((line: string) => {
      process.stderr.write(line);
    });
  const root = pino(
    {
      level: options.level,
      base: null,
      messageKey: 'msg',
      timestamp: () => `,"ts":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      serializers: { err: describeError },
    },
    {
      write: (line) => {
        write(options.format === 'json' ? line : logfmtLine(line));
      },
    },
  );
  const at =
    (level: LogLevel): Logger[LogLevel] =>
    (message, fields) => {
      root[level](fields ?? {}, message);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Message and stack only: other fields of an error may hold a request, and so a secret. */
function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
