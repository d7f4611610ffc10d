/** The log of the program: one line per event, with a fixed message and fields, as logfmt or JSON. Commands create it. */

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['logfmt', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

/** Names are in snake_case. An error goes into the field `err`. A field that is `undefined` is left out. */
type Fields = Readonly<Record<string, unknown>>;

/** Writes one line. */
type Log = (message: string, fields?: Fields) => void;

/** The log of a process. A message is a fixed text; what varies goes into the fields. */
export interface Logger {
  /** @param fields a function is called only when the line is written, because each poll and each request has one */
  readonly debug: (message: string, fields: Fields | (() => Fields)) => void;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Receives one line with its newline. Defaults to standard error. */
  readonly write?: ((line: string) => void) | undefined;
}

/** Creates a logger. It writes each line at once, so that no line is lost when the process dies. */
export function createLogger(options: LogOptions): Logger {
  const { format, level: lowestLevel, write = (line) => process.stderr.write(line) } = options;
  const logAt =
    (level: LogLevel) =>
    (msg: string, givenFields?: Fields | (() => Fields)): void => {
      if (logLevels.indexOf(level) < logLevels.indexOf(lowestLevel)) return;
      const fields = typeof givenFields === 'function' ? givenFields() : givenFields;
      const line = { ts: new Date().toISOString(), level, msg, ...fields };
      const pairs = Object.entries<unknown>(line)
        .filter(([, value]) => value !== undefined)
        // Only message and stack: other fields of an error may contain a request, and so a secret.
        .map(([key, value]) => {
          return [key, value instanceof Error ? (value.stack ?? value.message) : value] as const;
        });
      const text = format === 'json' ? printableJson(Object.fromEntries(pairs)) : logfmt(pairs);
      write(`${text}\n`);
    };
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
}

/** The log format of Prometheus exporters. */
function logfmt(pairs: readonly (readonly [key: string, value: unknown])[]): string {
  const words = pairs.map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${key}=${/^[^\s"=\\\p{C}]+$/u.test(text) ? text : printableJson(text)}`;
  });
  return words.join(' ');
}

/** JSON without characters that end a line, control a terminal or reverse the order of a text. */
function printableJson(value: unknown): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    character.split('').map(escape).join(''),
  );
}
