/** The exit codes of `check`. They are those of Nagios plugins. */
export const checkExitCodes = { fine: 0, warning: 1, critical: 2, unknown: 3 } as const;
