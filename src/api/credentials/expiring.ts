/** Temporary credentials that are fetched, and renewed before they end. */
import type { Clock } from '../../model/clock.ts';
import { isSame, type Credentials, type CredentialsProvider } from './credentials.ts';

export interface TemporaryCredentials {
  readonly credentials: Credentials;
  /** On the machine's clock. */
  readonly expiresAtMs: number;
}

export interface ExpiringOptions {
  /**
   * Fetches credentials in a bounded time. Rejects with a CredentialsError.
   *
   * @param signal aborts when the provider is closed
   */
  readonly fetch: (signal: AbortSignal) => Promise<TemporaryCredentials>;
  readonly clock: Clock;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Called when a fetch that no request waits for has failed, too. */
  readonly onFailed: (error: unknown) => void;
  readonly onFetched: () => void;
}

/** New credentials are fetched so long before the end of the old ones (docs/service.md, section 12). */
const refreshBeforeMs = 300_000;
/** The same as a share of the lifetime, for short ones. */
const refreshShare = 0.2;
/** The least time between two fetches. The requests of a cycle share a failure. */
const minPauseMs = 1_000;
const maxPauseMs = 60_000;
/** Credentials that are refused so soon are not fetched again: the reason is another one. */
const freshMs = 10_000;
/** The longest timer of Node.js. */
const maxTimerMs = 0x7fff_ffff;

/** When credentials are renewed: 300 s before their end, or a fifth of their lifetime if that is less. */
export function refreshAtMs(fetchedAtMs: number, expiresAtMs: number): number {
  const lifetimeMs = expiresAtMs - fetchedAtMs;
  return expiresAtMs - Math.min(refreshBeforeMs, lifetimeMs * refreshShare);
}

/**
 * The pause before the next fetch: 0.5 to 1 s, doubled with each failure, at most 60 s.
 *
 * @param failures the number of successive failures, from 1
 * @param random from 0 to 1
 */
export function fetchPauseMs(failures: number, random: number): number {
  const longestMs = Math.min(maxPauseMs, minPauseMs * 2 ** (failures - 1));
  return (longestMs * (1 + random)) / 2;
}

interface Fetched extends TemporaryCredentials {
  readonly fetchedAtMs: number;
}

/**
 * Fetches credentials one at a time, and replaces a set as a whole. The last good set is used until it
 * expires. A failure is never kept: the fetch is repeated after a pause, whether requests wait for it or not.
 */
export class ExpiringCredentials implements CredentialsProvider {
  readonly #options: ExpiringOptions;
  readonly #closing = new AbortController();
  #last: Fetched | null = null;
  /** The service refused the last set. It is only used if there is no other. */
  #isRefused = false;
  #fetching: Promise<Credentials> | null = null;
  #failure: { readonly error: Error; readonly atMs: number } | null = null;
  #failures = 0;
  /** When the next fetch begins in the background. */
  #dueAtMs = Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ExpiringOptions) {
    this.#options = options;
  }

  async get(): Promise<Credentials> {
    const nowMs = this.#options.clock.now();
    const usable = this.#last !== null && nowMs < this.#last.expiresAtMs ? this.#last : null;
    if (usable !== null && !this.#isRefused) {
      if (nowMs >= this.#dueAtMs) this.#fetchInBackground();
      return usable.credentials;
    }
    try {
      return await this.#fetch();
    } catch (error) {
      if (usable !== null) return usable.credentials;
      throw error;
    }
  }

  async refused(used: Credentials): Promise<boolean> {
    if (this.#last === null || !isSame(this.#last.credentials, used)) return this.#last !== null;
    if (Math.abs(this.#options.clock.now() - this.#last.fetchedAtMs) < freshMs) return false;
    this.#isRefused = true;
    try {
      return !isSame(await this.#fetch(), used);
    } catch {
      return false;
    }
  }

  expiresAtMs(): number | null {
    return this.#last?.expiresAtMs ?? null;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#closing.abort();
  }

  /** Joins the fetch under way, or begins one. A fetch that failed just now is not repeated. */
  #fetch(): Promise<Credentials> {
    const nowMs = this.#options.clock.now();
    if (this.#fetching === null && this.#failure !== null) {
      const { atMs, error } = this.#failure;
      if (Math.abs(nowMs - atMs) < minPauseMs) return Promise.reject(error);
    }
    this.#fetching ??= this.#fetchOnce().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  #fetchInBackground(): void {
    this.#fetch().catch(() => undefined);
  }

  async #fetchOnce(): Promise<Credentials> {
    const { clock, fetch, onFailed, onFetched, random } = this.#options;
    clearTimeout(this.#timer);
    try {
      const fetched = await fetch(this.#closing.signal);
      const fetchedAtMs = clock.now();
      this.#last = { ...fetched, fetchedAtMs };
      this.#isRefused = false;
      this.#failure = null;
      this.#failures = 0;
      this.#wakeAt(
        Math.max(refreshAtMs(fetchedAtMs, fetched.expiresAtMs), fetchedAtMs + minPauseMs),
      );
      onFetched();
      return fetched.credentials;
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      const nowMs = clock.now();
      this.#failure = { error, atMs: nowMs };
      this.#failures += 1;
      this.#wakeAt(nowMs + fetchPauseMs(this.#failures, random()));
      if (!this.#closing.signal.aborted) onFailed(error);
      throw error;
    }
  }

  #wakeAt(atMs: number): void {
    this.#dueAtMs = atMs;
    if (this.#closing.signal.aborted) return;
    const delayMs = Math.min(Math.max(atMs - this.#options.clock.now(), minPauseMs), maxTimerMs);
    this.#timer = setTimeout(() => {
      this.#fetchInBackground();
    }, delayMs).unref();
  }
}
