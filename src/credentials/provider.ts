/** What the providers of all types share: their error, checks of values, and credentials that are only read. */
import type { Credentials, CredentialsProvider } from '../api/credentials.ts';
import { CodedError } from '../model/coded-error.ts';

/** The types of credentials that can fail: the label `type` of failures in metrics. */
export type FailureType =
  | 'environment'
  | 'files'
  | 'profile'
  | 'cvm_role'
  | 'tke_oidc'
  | 'assume_role';

/** A failure to read or fetch credentials. Every provider fails with it. */
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

/** Whether SecretId, SecretKey and token are the same, or both are no credentials. */
export function isSame(a: Credentials | null, b: Credentials | null): boolean {
  return a?.secretId === b?.secretId && a?.secretKey === b?.secretKey && a?.token === b?.token;
}

/**
 * A provider of credentials that are only read, and whose end is unknown.
 *
 * @param forget called before the credentials must be read again
 */
export function readCredentials(
  read: () => Credentials | null | Promise<Credentials>,
  forget: () => void = () => undefined,
): CredentialsProvider {
  const get = async () => read();
  return {
    get,
    renew: (refused) => {
      forget();
      return isOther(get(), refused);
    },
    expiresAtMs: () => null,
  };
}

/** Whether there now are credentials that differ from refused ones. `false` if they cannot be read or fetched. */
export function isOther(
  current: Promise<Credentials | null>,
  refused: Credentials,
): Promise<boolean> {
  return current.then(
    (credentials) => !isSame(credentials, refused),
    () => false,
  );
}

/** The provider of no credentials: requests are not signed. */
export const noCredentials: CredentialsProvider = readCredentials(() => null);
