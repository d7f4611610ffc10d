/** What `check` exits with; the codes that Nagios plugins have. */
export const checkExitCodes = { fine: 0, warning: 1, critical: 2, unknown: 3 } as const;
