/** The events of the client. The daemon makes metrics and log lines of them. */

interface ApiEvent {
  /** The configured name of the account. */
  readonly account: string;
  readonly operation: string;
}

/** Receives the events. Calls take a part of it: `check` and `init`, which poll once, give none. Must not throw. */
export interface ApiObserver {
  /**
   * An attempt has ended. `code` is `null` for success. Not called for an aborted attempt, or for an attempt
   * without credentials, because nothing was sent.
   */
  requestFinished(
    event: ApiEvent & {
      /** How long it waited for the rate limit. */
      readonly waitMs: number;
      readonly durationMs: number;
      readonly code: string | null;
    },
  ): void;
  /** An attempt that failed with `code` will be followed by another. */
  retried(event: ApiEvent & { readonly code: string }): void;
  /** Signatures use a new correction of the machine's time; 0 when it needs none. */
  clockCorrected(event: { readonly account: string; readonly correctionMs: number }): void;
  /** A source of credentials begins to fail, or fails no longer. */
  credentialsChanged(event: {
    /** The accounts that use the source. */
    readonly accounts: readonly string[];
    readonly type: string;
    /** What to do. `null` when it works again. */
    readonly reason: string | null;
  }): void;
}
