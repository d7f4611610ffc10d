/** Writes one line: a fixed message, and fields with names in snake_case. */
type Log = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** The interface of a logger. An error goes into the field `err`. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}
