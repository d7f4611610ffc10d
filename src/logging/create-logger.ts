/** The log of the program: one line per event, with a fixed message and fields, as logfmt or JSON. */
import { pino } from 'pino';
import type { LogFormat, LogLevel } from './log-options.ts';
import { logfmtLine } from './logfmt.ts';
import type { Logger } from './logger.ts';

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Receives one line with its newline. Defaults to standard error. */
  readonly write?: ((line: string) => void) | undefined;
}

/** Creates a logger. It writes each line at once, so that no line is lost when the process dies. */
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
    (level: Exclude<LogLevel, 'debug'>): Logger[typeof level] =>
    (message, fields) => {
      root[level](fields ?? {}, message);
    };
  const debug: Logger['debug'] = (message, fields) => {
    if (root.isLevelEnabled('debug')) root.debug(fields(), message);
  };
  return { debug, info: at('info'), warn: at('warn'), error: at('error') };
}

/** Only message and stack: other fields of an error may contain a request, and so a secret. */
function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
