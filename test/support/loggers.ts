import type { Logger } from '../../src/log.ts';

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface LoggedLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger, and the lines that it was given, oldest first; debug lines are left out. */
export function recordingLogger() {
  const lines: LoggedLine[] = [];
  const write =
    (level: string): Logger['info'] =>
    (message, fields = {}) => {
      lines.push({ level, message, fields: { ...fields } });
    };
  const logger: Logger = {
    ...silentLogger,
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { logger, lines };
}
