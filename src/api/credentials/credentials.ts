import { CodedError } from '../../model/coded-error.ts';

export interface Credentials {
  readonly secretId: string;
  readonly secretKey: string;
  /** The session token of temporary credentials, else `null`. */
  readonly token: string | null;
}

/** Where an account's credentials come from. */
export interface CredentialsProvider {
  /**
   * What to sign with now, or `null` for requests without a signature.
   *
   * @throws CodedError `Credentials`, whose message says what is missing and never holds a secret
   */
  get(): Promise<Credentials | null>;
  /** The service refused the last ones as expired: the next `get` fetches new ones. */
  refresh(): void;
}

/** A failure to get credentials. `message` must not quote any secret. */
export function credentialsError(message: string, cause?: unknown): CodedError {
  return new CodedError('Credentials', message, { cause });
}

/**
 * Checks that a value can be part of a request's header.
 *
 * @param source names where it comes from, for the message
 * @throws CodedError `Credentials` for an empty value, or for characters that no credential has
 */
export function checkedSecret(value: string, source: string): string {
  if (value === '') throw credentialsError(`${source} is empty: write the credential into it`);
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw credentialsError(
      `${source} holds spaces, line breaks or characters outside of ASCII: it must hold the credential alone`,
    );
  }
  return value;
}
