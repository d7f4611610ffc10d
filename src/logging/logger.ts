/** Names are in snake_case. An error goes into the field `err`. */
type Fields = Readonly<Record<string, unknown>>;

/** Writes one line: a fixed message, and fields. */
type Log = (message: string, fields?: Fields) => void;

/** The interface of a logger. */
export interface Logger {
  /** @param fields called only when the line is written, because each poll and each request has one */
  readonly debug: (message: string, fields: () => Fields) => void;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}
