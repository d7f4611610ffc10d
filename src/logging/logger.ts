/** Writes one line: a static message, and fields with names in snake_case. */
type Log = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Where code writes what happened. An error goes into the field `err`. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}
