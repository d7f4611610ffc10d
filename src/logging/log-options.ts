/** The log options of a user. They are separate from the logger, because loading the logger is slow. */

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['logfmt', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];
