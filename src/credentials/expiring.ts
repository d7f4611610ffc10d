/** Fetches temporary credentials, and renews them before they end: the types `cvm_role`, `tke_oidc` and `assume_role`. */
import type { Clock } from '../model/clock.ts';
import type { Credentials, CredentialsProvider } from '../api/credentials.ts';
import { checkedSecret, isOther, isSame, type FailureType } from './provider.ts';

export interface TemporaryCredentials {
  readonly credentials: Credentials;
  /** On the machine's clock. */
  readonly expiresAtMs: number;
}

/**
 * Converts what the service gave.
 *
 * @param origin who gave it, for the message
 * @throws CredentialsError for a value that no credential has
 */
export function temporaryCredentials(
  type: FailureType,
  given: { readonly TmpSecretId: string; readonly TmpSecretKey: string; readonly Token: string },
  expiresAtMs: number,
  origin: string,
): TemporaryCredentials {
  const credentials = {
    secretId: checkedSecret(type, given.TmpSecretId, origin),
    secretKey: checkedSecret(type, given.TmpSecretKey, origin),
    token: checkedSecret(type, given.Token, origin),
  };
  return { credentials, expiresAtMs };
}

export interface ExpiringOptions {
  /** Fetches credentials in a bounded time. Rejects with a CredentialsError. */
  readonly fetch: () => Promise<TemporaryCredentials>;
  readonly clock: Clock;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/** How long before the end of credentials the next ones are fetched (docs/service.md, section 12). */
const refreshBeforeMs = 300_000;
/** At most this part of the lifetime, for short ones. */
const maxRefreshShare = 0.2;
/** Minimum time between two fetches: the requests of a cycle share a failure. */
const minPauseMs = 1_000;
const maxPauseMs = 60_000;
/** Credentials younger than this are not fetched again when the service refuses them: the reason must be another one. */
const freshMs = 10_000;

/** When credentials are renewed: 300 s before their end, or a fifth of their lifetime if that is less. */
export function refreshAtMs(fetchedAtMs: number, expiresAtMs: number): number {
  const lifetimeMs = expiresAtMs - fetchedAtMs;
  return expiresAtMs - Math.min(refreshBeforeMs, lifetimeMs * maxRefreshShare);
}

/**
 * The pause before the next early renewal, while the last set can still be used: 0.5 to 1 s, doubled with each failure,
 * at most 60 s. `#fetch` repeats nothing within a second of a failure, so a shorter pause has no effect. Without a usable
 * set, each use fetches again after that second.
 *
 * @param failures the number of successive failures, from 1
 * @param random from 0 to 1
 */
export function renewalPauseMs(failures: number, random: number): number {
  const longestMs = Math.min(maxPauseMs, minPauseMs * 2 ** (failures - 1));
  return (longestMs * (1 + random)) / 2;
}

/**
 * Fetches credentials when they are used, one fetch at a time, and replaces a set as a whole. A use shortly before
 * the end of a set begins to fetch the next one, and does not wait for it. The last good set is used until it
 * expires. A failure is shared for a second; a later use fetches again.
 */
export class ExpiringCredentials implements CredentialsProvider {
  readonly #options: ExpiringOptions;
  #last: (TemporaryCredentials & { readonly fetchedAtMs: number }) | null = null;
  /** Whether the service refused the last set. It is then used only while no other can be fetched. */
  #isRefused = false;
  /** The fetch under way, or the last one if it failed: uses within a second share the failure. */
  #fetching: Promise<Credentials> | null = null;
  #failedAtMs: number | null = null;
  #failures = 0;
  /** When a use begins to fetch the next set. */
  #dueAtMs = Infinity;

  constructor(options: ExpiringOptions) {
    this.#options = options;
  }

  async get(): Promise<Credentials> {
    const nowMs = this.#options.clock.now();
    const usable = this.#last !== null && nowMs < this.#last.expiresAtMs ? this.#last : null;
    if (usable !== null && !this.#isRefused) {
      if (nowMs >= this.#dueAtMs) this.#fetch().catch(() => undefined);
      return usable.credentials;
    }
    return this.#fetch().catch((error: unknown) => {
      if (usable === null) throw error;
      return usable.credentials;
    });
  }

  async renew(refused: Credentials): Promise<boolean> {
    if (this.#last === null) return false;
    if (!isSame(this.#last.credentials, refused)) return true;
    if (Math.abs(this.#options.clock.now() - this.#last.fetchedAtMs) < freshMs) return false;
    this.#isRefused = true;
    return isOther(this.#fetch(), refused);
  }

  expiresAtMs(): number | null {
    return this.#last?.expiresAtMs ?? null;
  }

  /** Joins the fetch under way, or begins one. A fetch that failed just now is not repeated. */
  #fetch(): Promise<Credentials> {
    const nowMs = this.#options.clock.now();
    const sinceFailureMs = Math.abs(nowMs - (this.#failedAtMs ?? nowMs));
    if (this.#fetching === null || sinceFailureMs >= minPauseMs) {
      this.#failedAtMs = null;
      this.#fetching = this.#fetchOnce();
    }
    return this.#fetching;
  }

  async #fetchOnce(): Promise<Credentials> {
    const { clock, fetch, random } = this.#options;
    try {
      const fetched = await fetch();
      const fetchedAtMs = clock.now();
      this.#last = { ...fetched, fetchedAtMs };
      this.#isRefused = false;
      this.#fetching = null;
      this.#failures = 0;
      const dueAtMs = refreshAtMs(fetchedAtMs, fetched.expiresAtMs);
      this.#dueAtMs = Math.max(dueAtMs, fetchedAtMs + minPauseMs);
      return fetched.credentials;
    } catch (error) {
      const nowMs = clock.now();
      this.#failedAtMs = nowMs;
      this.#failures += 1;
      this.#dueAtMs = nowMs + renewalPauseMs(this.#failures, random());
      throw error;
    }
  }
}
