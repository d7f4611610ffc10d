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
   * The credentials for a signature, or `null` for requests without a signature. SecretId, SecretKey and
   * token always belong together.
   *
   * @throws CredentialsError; the message says what is missing and never contains a secret
   */
  get(): Promise<Credentials | null>;
  /**
   * The service refused credentials. Looks for others, unless there are others already.
   *
   * @returns whether `get` now gives others; never rejects
   */
  refused(used: Credentials): Promise<boolean>;
  /** When the present credentials end, on the machine's clock. `null` if that is unknown, or never. */
  expiresAtMs(): number | null;
  /** Ends timers and requests. */
  close(): void;
}

/** The types of credentials that can fail. They are the label of failures in metrics. */
export type CredentialsType =
  | 'environment'
  | 'files'
  | 'profile'
  | 'cvm_role'
  | 'tke_oidc'
  | 'assume_role';

/** A failure to get credentials. */
export class CredentialsError extends CodedError {
  /** The type of the credentials that failed: for a role, perhaps that of its source. */
  readonly type: CredentialsType;

  /** @param message says what to do, and quotes no secret */
  constructor(type: CredentialsType, message: string, cause?: unknown) {
    const requestId = cause instanceof CodedError ? cause.requestId : null;
    super('Credentials', message, { cause, requestId });
    this.type = type;
  }
}

/**
 * Checks that a value can be part of a request's header.
 *
 * @param source the source of the value, for the message
 * @throws CredentialsError for an empty value, or for characters that no credential has
 */
export function checkedSecret(type: CredentialsType, value: string, source: string): string {
  if (value === '')
    throw new CredentialsError(type, `${source} is empty: write the credential into it`);
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new CredentialsError(
      type,
      `${source} holds spaces, line breaks or characters outside of ASCII: it must hold the credential alone`,
    );
  }
  return value;
}

export function isSame(a: Credentials | null, b: Credentials | null): boolean {
  return a?.secretId === b?.secretId && a?.secretKey === b?.secretKey && a?.token === b?.token;
}

/**
 * A provider of credentials that are only read, and whose end is unknown.
 *
 * @param forget called before the credentials must be read again
 */
export function readCredentials(
  get: CredentialsProvider['get'],
  forget: () => void = () => undefined,
): CredentialsProvider {
  return {
    get,
    refused: async (used) => {
      forget();
      try {
        return !isSame(await get(), used);
      } catch {
        return false;
      }
    },
    expiresAtMs: () => null,
    close: () => undefined,
  };
}
