/** What the types of credentials share: their error, checks of values, and the provider that keeps what they fetch. */
import { z } from 'zod';
import type { Credentials, CredentialsProvider } from '../api/credentials.ts';
import type { Clock } from '../model/clock.ts';
import { CodedError } from '../model/coded-error.ts';

/** The types of credentials that can fail: the label `type` of failures in metrics. */
export type FailureType =
  | 'environment'
  | 'files'
  | 'profile'
  | 'cvm_role'
  | 'tke_oidc'
  | 'assume_role';

/** A failure to read or fetch credentials. A fetch fails with nothing else, but for bugs. */
export class CredentialsError extends CodedError {
  /** The type of the credentials that failed: for a role, perhaps that of its source. */
  readonly type: FailureType;

  /** @param message says what to do, and quotes no secret */
  constructor(type: FailureType, message: string, cause?: unknown) {
    const requestId = cause instanceof CodedError ? cause.requestId : null;
    super('Credentials', message, { cause, requestId });
    this.type = type;
  }
}

/**
 * Returns the value if it can be part of a request's header.
 *
 * @param origin where the value comes from, for the message
 * @throws CredentialsError for an empty value, or for characters that no credential has
 */
export function checkedSecret(type: FailureType, value: string, origin: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  const problem =
    value === ''
      ? 'is empty: write the credential into it'
      : 'holds spaces, line breaks or characters outside of ASCII: it must hold the credential alone';
  throw new CredentialsError(type, `${origin} ${problem}`);
}

/** What a type of credentials reads or fetches. */
export interface FetchedCredentials extends Credentials {
  /** When the credentials end, by the clock of this machine. Absent if they do not end, or if the end is not known. */
  readonly expiresAtMs?: number;
}

/** The fields of temporary credentials in an answer of STS or of the metadata service. */
export const givenKeys = { Token: z.string(), TmpSecretId: z.string(), TmpSecretKey: z.string() };

/**
 * Converts the temporary credentials that STS or the metadata service gave.
 *
 * @param origin who gave it, for the message
 * @throws CredentialsError for a value that no credential has
 */
export function temporaryCredentials(
  type: FailureType,
  given: z.output<z.ZodObject<typeof givenKeys>>,
  expiresAtMs: number,
  origin: string,
): FetchedCredentials {
  return {
    secretId: checkedSecret(type, given.TmpSecretId, origin),
    secretKey: checkedSecret(type, given.TmpSecretKey, origin),
    token: checkedSecret(type, given.Token, origin),
    expiresAtMs,
  };
}

/** Reads or fetches credentials in a bounded time. Rejects with a CredentialsError. */
export type FetchCredentials = () => Promise<FetchedCredentials>;

/** The provider of no credentials: requests are not signed. */
export const noCredentials: CredentialsProvider = {
  get: () => Promise.resolve(null),
  renew: () => Promise.resolve(false),
  expiresAtMs: () => null,
};

/** How long before the end of credentials the next ones are fetched (docs/service.md, section 12). */
const refreshBeforeMs = 300_000;
/** At most this part of the lifetime, for short ones. */
const maxRefreshShare = 0.2;
/** Minimum time between two fetches: the requests of a cycle share a reading and a failure. */
const minPauseMs = 1_000;
/** While the last temporary set can still be used, the pause after a failure begins with 1 s, and doubles up to this. */
const maxPauseMs = 60_000;
/**
 * Temporary credentials younger than this are not fetched again when the service refuses them: the reason must be another
 * one.
 */
const freshMs = 10_000;

/**
 * When credentials are fetched again: 300 s before their end, or a fifth of their lifetime if that is less. Those without
 * an end are read again after a second: soon enough to notice a rotation.
 */
export function refreshAtMs(fetchedAtMs: number, expiresAtMs: number | undefined): number {
  if (expiresAtMs === undefined) return fetchedAtMs + minPauseMs;
  const lifetimeMs = expiresAtMs - fetchedAtMs;
  const dueAtMs = expiresAtMs - Math.min(refreshBeforeMs, lifetimeMs * maxRefreshShare);
  return Math.max(dueAtMs, fetchedAtMs + minPauseMs);
}

/**
 * Fetches credentials when they are used, one fetch at a time, and replaces a set as a whole. What a use gets:
 * - before the set is due to be fetched again: the set;
 * - from then until the end of the set: the set. The use begins to fetch the next one, and does not wait for it;
 * - after the end, with a set without an end that is due, or without a set: what it fetches, or the failure;
 * - after the service refused the set: what it fetches; if that fails, the refused set until its end, else the failure.
 *
 * A failure is shared for a second; a later use fetches again. `sources.ts` creates one for each source.
 */
export class KeptCredentials implements CredentialsProvider {
  readonly #fetch: FetchCredentials;
  readonly #clock: Clock;
  #last: { readonly set: FetchedCredentials; readonly fetchedAtMs: number } | null = null;
  /** Whether the service refused the last set. */
  #isRefused = false;
  /** The fetch under way, or the last one if it failed: uses within a second share the failure. */
  #fetching: Promise<Credentials> | null = null;
  #failedAtMs: number | null = null;
  #failures = 0;
  /** From when on a use fetches the next set. */
  #dueAtMs = -Infinity;

  constructor(fetch: FetchCredentials, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  async get(): Promise<Credentials> {
    const nowMs = this.#clock.now();
    const last = nowMs < (this.expiresAtMs() ?? Infinity) ? this.#last : null;
    // Also after the clock was set back.
    const isDue = nowMs >= this.#dueAtMs || (last !== null && nowMs < last.fetchedAtMs);
    if (last !== null && !isDue && !this.#isRefused) return last.set;
    const fetched = this.#fetchNext();
    if (last?.set.expiresAtMs === undefined) return fetched;
    const fetchedOrLast = fetched.catch(() => last.set);
    return this.#isRefused ? fetchedOrLast : last.set;
  }

  async renew(refused: Credentials): Promise<boolean> {
    if (this.#last === null) return false;
    const { fetchedAtMs, set } = this.#last;
    if (!isSame(set, refused)) return true;
    const isFresh = Math.abs(this.#clock.now() - fetchedAtMs) < freshMs;
    if (isFresh && set.expiresAtMs !== undefined) return false;
    this.#isRefused = true;
    const fetched = await this.#fetchNext().catch(() => refused);
    return !isSame(fetched, refused);
  }

  expiresAtMs(): number | null {
    return this.#last?.set.expiresAtMs ?? null;
  }

  /** Joins the fetch under way, or begins one. A fetch that failed just now is not repeated. */
  #fetchNext(): Promise<Credentials> {
    const nowMs = this.#clock.now();
    const sinceFailureMs = Math.abs(nowMs - (this.#failedAtMs ?? nowMs));
    if (this.#fetching === null || sinceFailureMs >= minPauseMs) {
      this.#failedAtMs = null;
      this.#fetching = this.#fetchOnce();
    }
    return this.#fetching;
  }

  /** Fetches once, keeps the set or counts the failure, and sets when the next fetch is due. */
  async #fetchOnce(): Promise<Credentials> {
    try {
      const set = await this.#fetch();
      const fetchedAtMs = this.#clock.now();
      this.#last = { set, fetchedAtMs };
      this.#isRefused = false;
      this.#fetching = null;
      this.#failures = 0;
      this.#dueAtMs = refreshAtMs(fetchedAtMs, set.expiresAtMs);
      return set;
    } catch (error) {
      this.#failedAtMs = this.#clock.now();
      this.#failures += 1;
      const isTemporary = this.expiresAtMs() !== null;
      const pauseMs = Math.min(maxPauseMs, minPauseMs * 2 ** (this.#failures - 1));
      this.#dueAtMs = isTemporary ? this.#failedAtMs + pauseMs : -Infinity;
      throw error;
    }
  }
}

function isSame(a: Credentials, b: Credentials): boolean {
  return a.secretId === b.secretId && a.secretKey === b.secretKey && a.token === b.token;
}
