/** Credentials from the first source that exists, as the service's own tools find them. */
import { CredentialsError, type Credentials, type CredentialsProvider } from './credentials.ts';

/** A source that may exist. */
export interface Candidate {
  readonly exists: () => Promise<boolean>;
  readonly provider: CredentialsProvider;
}

/**
 * Uses the first source that exists. A source that exists and fails is a failure: another source could
 * belong to another account. For the same reason, a source that gave credentials once is never left.
 */
export class DefaultCredentials implements CredentialsProvider {
  readonly #candidates: readonly Candidate[];
  readonly #last: CredentialsProvider;
  #chosen: CredentialsProvider | null = null;

  /** @param last used when no candidate exists */
  constructor(candidates: readonly Candidate[], last: CredentialsProvider) {
    this.#candidates = candidates;
    this.#last = last;
  }

  async get(): Promise<Credentials | null> {
    const provider = this.#chosen ?? (await this.#find());
    try {
      const credentials = await provider.get();
      this.#chosen ??= provider;
      return credentials;
    } catch (error) {
      const isLastResort = this.#chosen === null && provider === this.#last;
      if (!isLastResort || !(error instanceof CredentialsError)) throw error;
      const message = `no credentials in the environment, a profile or a cluster, and ${error.message}`;
      throw new CredentialsError(error.type, message, error);
    }
  }

  refused(used: Credentials): Promise<boolean> {
    return this.#chosen?.refused(used) ?? Promise.resolve(false);
  }

  expiresAtMs(): number | null {
    return this.#chosen?.expiresAtMs() ?? null;
  }

  close(): void {
    for (const { provider } of this.#candidates) provider.close();
    this.#last.close();
  }

  async #find(): Promise<CredentialsProvider> {
    for (const { exists, provider } of this.#candidates) if (await exists()) return provider;
    return this.#last;
  }
}
