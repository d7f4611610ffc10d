/** Several daemons share the cycles: each account has its own. */
export interface SharedCycles {
  /** A cycle of every account is due. */
  readonly due: () => void;
  /** These accounts have targets that were never polled. */
  readonly added: (accounts: ReadonlySet<string>) => void;
  /** The running cycle of an account also polls for the cycle that is due now. */
  readonly extended: (account: string) => void;
}

/** The permission to poll the targets of an account. */
export interface AccountTurn {
  /** Aborts when the permission ends. */
  readonly signal: AbortSignal;
  /** Called right before each request. Throws when the permission has ended. */
  readonly beforeSend: () => void;
}
