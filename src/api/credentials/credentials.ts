import { CodedError } from '../../model/coded-error.ts';

export interface Credentials {
  readonly secretId: string;
  readonly secretKey: string;
  /** The session token of temporary credentials, else `null`. */
  readonly token: string | null;
}

/** The source of an account's credentials. */
export interface CredentialsProvider {
  /**
   * The credentials for a signature, or `null` for requests without a signature.
   *
   * @throws CodedError `Credentials`; the message says what is missing and never contains a secret
   */
  get(): Promise<Credentials | null>;
  /** The service refused the last credentials as expired. The next `get` reads new ones. */
  refresh(): void;
}

/** A failure to get credentials. `message` must not quote any secret. */
export function credentialsError(message: string, cause?: unknown): CodedError {
  return new CodedError('Credentials', message, { cause });
}

/**
 * Checks that a value can be part of a request's header.
 *
 * @param source the source of the value, for the message
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
