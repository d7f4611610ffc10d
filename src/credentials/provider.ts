/** Credentials and their sources (docs/service.md, section 12). */
import type { Credentials, CredentialsProvider } from '../api/credentials.ts';
import { CodedError } from '../model/coded-error.ts';

/** The types of credentials that can fail. They are the label of failures in metrics. */
export type FailureType =
  | 'environment'
  | 'files'
  | 'profile'
  | 'cvm_role'
  | 'tke_oidc'
  | 'assume_role';

/** A failure to get credentials. */
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
 * Checks that a value can be part of a request's header.
 *
 * @param source the source of the value, for the message
 * @throws CredentialsError for an empty value, or for characters that no credential has
 */
export function checkedSecret(type: FailureType, value: string, source: string): string {
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
  read: () => Credentials | null | Promise<Credentials>,
  forget: () => void = () => undefined,
): CredentialsProvider {
  const get = async () => read();
  return {
    get,
    renew: (used) => {
      forget();
      return isOther(get(), used);
    },
    expiresAtMs: () => null,
  };
}

/** Whether credentials that are got differ from refused ones. */
export function isOther(got: Promise<Credentials | null>, refused: Credentials): Promise<boolean> {
  return got.then(
    (credentials) => !isSame(credentials, refused),
    () => false,
  );
}

/** For endpoints that need no signature. */
export const noCredentials: CredentialsProvider = readCredentials(() => null);

/** A source of credentials of the type `default`. */
export interface Candidate {
  readonly exists: () => Promise<boolean>;
  readonly provider: CredentialsProvider;
}

/**
 * Uses the first source that exists, as the service's own tools find them, and the last one if none does. A
 * source that exists and fails is a failure: another source could belong to another account. For the same
 * reason, a source that gave credentials once is never left.
 */
export function firstOf(
  candidates: readonly Candidate[],
  last: CredentialsProvider,
): CredentialsProvider {
  let chosen: CredentialsProvider | null = null;
  const find = async () => {
    for (const { exists, provider } of candidates) if (await exists()) return provider;
    return last;
  };
  return {
    get: async () => {
      const provider = chosen ?? (await find());
      try {
        const credentials = await provider.get();
        chosen ??= provider;
        return credentials;
      } catch (error) {
        const isLastResort = chosen === null && provider === last;
        if (!isLastResort || !(error instanceof CredentialsError)) throw error;
        const message = `no credentials in the environment, a profile or a cluster, and ${error.message}`;
        throw new CredentialsError(error.type, message, error);
      }
    },
    renew: (used) => chosen?.renew(used) ?? Promise.resolve(false),
    expiresAtMs: () => chosen?.expiresAtMs() ?? null,
  };
}
