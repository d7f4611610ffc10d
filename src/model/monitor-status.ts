/**
 * The state of the daemon, as pages and metrics show it. The daemon, its storage, its cluster and its web configuration
 * fill these types. Times are milliseconds since the Unix epoch.
 */
import type { Sample } from './metric-family.ts';

/** Version and revision of the running program. */
export interface BuildInfo {
  readonly version: string;
  /** The commit that was built; empty when unknown. */
  readonly revision: string;
}

/** The state of the daemon, read at each exposition. All times are in milliseconds. */
export interface MonitorStatus {
  /** The cycles of each account. */
  readonly cycles: ReadonlyMap<string, AccountCycles>;
  /** When the next cycle is due; `null` while none is planned. */
  readonly nextCycleMs: number | null;
  readonly storage: StorageStatus;
  /** By account: regions that discovery found and that are not polled. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>;
  readonly reload: LastReload;
  /** Absent without a web configuration file. */
  readonly webConfig?: LastReload | undefined;
}

/** The cycles of an account since the start. All times are in milliseconds. */
export interface AccountCycles {
  readonly completed: number;
  /** Cycles that were skipped, by the reason: `missed`, `overlap`. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly lastDurationMs: number | null;
  /** Since the Unix epoch. */
  readonly lastStartedAtMs: number | null;
}

/** The counters of the requests of an account for an operation, at 0. */
export const newRequestCount = (labels: Readonly<Record<'account' | 'operation', string>>) => ({
  labels,
  requests: 0,
  /** How long they waited for the rate limit. */
  waitSeconds: 0,
  /** Failures by their code. */
  errors: new Map<string, number>(),
  /** Further attempts by the code of the failure before. */
  retries: new Map<string, number>(),
});
/** The result of {@link newRequestCount}. `daemon/api-observer.ts` counts in it. */
export type RequestCount = ReturnType<typeof newRequestCount>;

/** The requests to the service, and the clients that send them, read at each exposition. */
export interface ApiStatus {
  readonly requests: readonly Readonly<RequestCount>[];
  /** The requests per second that the rate limit allows now, by account and operation. */
  readonly rates: readonly Sample[];
  /** How far the machine's clock is ahead of the service's, in seconds, by account. */
  readonly clockSkews: readonly Sample[];
  /** When the present credentials end, in seconds since the Unix epoch, by account. None for credentials that do not end. */
  readonly credentialsExpiries: readonly Sample[];
  /** How often credentials could not be had, by account and type of credentials. */
  readonly credentialsFailures: readonly Sample[];
}

/** The last reading of the configuration, or of the web configuration. */
export interface LastReload {
  /** When a configuration was last put in force, also at the start. */
  readonly successMs: number;
  /** Why the last one was refused, one mistake in a line; `null` if it was not. */
  readonly problem: string | null;
}

/** What pages and metrics show of the storage. */
export interface StorageStatus {
  /** The number of saves that failed. */
  readonly failures: number;
  /** The number of stored texts that hold no record. */
  readonly damaged: number;
  /** The number of records of present targets whose last save failed. */
  readonly unwritten: number;
  /** Why records cannot be stored at present; `null` while they can. */
  readonly problem: string | null;
}

/** How many targets were attempted since the start. */
export interface Readiness {
  /**
   * Whether all targets had been attempted at some moment since the start. Targets that a reload adds later do not change it.
   */
  readonly isReady: boolean;
  readonly attempted: number;
  readonly targets: number;
}

/** The result of a reload. `reason`: the mistakes of the configuration, or why it was refused. */
export type ReloadResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };
