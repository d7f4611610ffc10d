/** Writes one line: a fixed message, and fields with names in snake_case. */
type Write = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** Where the emulator writes its log, such as `console`. */
export interface EmulatorLog {
  /** Without it, these lines are not described: each request has one. */
  readonly debug?: Write;
  readonly warn: Write;
}

export const silentLog: EmulatorLog = { warn: () => undefined };
