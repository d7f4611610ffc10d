/** Chooses among providers: the type `default`. */
import type { CredentialsProvider } from '../api/credentials.ts';
import { CredentialsError } from './provider.ts';

/** A provider, and whether what it reads exists on this machine. */
export interface Candidate {
  readonly exists: () => Promise<boolean>;
  readonly provider: CredentialsProvider;
}

/**
 * A provider that uses the first candidate that exists, and `last` if none does. A candidate that exists and fails is a
 * failure: another one could belong to another account. For the same reason, a candidate that gave credentials once is
 * never left.
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
