/**
 * The events of calls and of credentials. `call.ts` and `credentials/sources.ts` report them, and
 * `daemon/api-observer.ts` makes metrics and log lines of them.
 */

interface ApiEvent {
  /** The configured name of the account. */
  readonly account: string;
  readonly operation: string;
}

/** Receives the events. Its methods must not throw. Each may be absent: `check` and `init`, which poll once, have none. */
export interface ApiObserver {
  /**
   * An attempt has ended. `code` is `null` for success. Not called for an aborted attempt, or for an attempt
   * without credentials, because nothing was sent.
   */
  requestFinished(
    event: ApiEvent & {
      /** How long the attempt waited for the rate limit. */
      readonly waitMs: number;
      /** From the permit to the end of the attempt. */
      readonly durationMs: number;
      readonly code: string | null;
    },
  ): void;
  /** An attempt failed with `code`, and another one will follow. */
  retried(event: ApiEvent & { readonly code: string }): void;
  /** The next signatures of the account use another correction of the machine's time. `correctionMs`: 0 for none. */
  clockCorrected(event: { readonly account: string; readonly correctionMs: number }): void;
  /** A source of credentials begins to fail, or fails no longer. */
  credentialsChanged(event: {
    /** The accounts that use the source. */
    readonly accounts: readonly string[];
    /** The type of the source, such as `file`. */
    readonly type: string;
    /** What fails, and what to do. `null`: the source works again. */
    readonly reason: string | null;
  }): void;
}
