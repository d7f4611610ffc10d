import { CredentialsError, type CredentialsType } from '../../api/credentials/credentials.ts';
import type { ApiObserver } from '../../api/observer.ts';

/** The users of one source of credentials, and how often it has failed. */
export class SourceRecord {
  /** The accounts that use it, also as the source of a role. */
  readonly users = new Set<string>();
  readonly #failures: Map<CredentialsType, number>;
  readonly #observer: ApiObserver;
  /** Requests that wait for one fetch get the same error. The source of a role has counted its own errors. */
  readonly #counted: WeakSet<Error>;
  #isFailing = false;

  /**
   * @param types the types that can fail
   * @param counted the errors that a source has counted; shared by all sources
   */
  constructor(types: readonly CredentialsType[], counted: WeakSet<Error>, observer: ApiObserver) {
    this.#failures = new Map(types.map((type) => [type, 0]));
    this.#counted = counted;
    this.#observer = observer;
  }

  /** The number of failures of each type that can fail. */
  get failures(): ReadonlyMap<CredentialsType, number> {
    return this.#failures;
  }

  failed(error: unknown): void {
    if (!(error instanceof CredentialsError) || this.#isCounted(error)) return;
    this.#counted.add(error);
    const { type, message } = error;
    this.#failures.set(type, (this.#failures.get(type) ?? 0) + 1);
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#observer.credentialsFailed({ accounts: [...this.users], type, reason: message });
  }

  worked(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#observer.credentialsRecovered({ accounts: [...this.users] });
  }

  /** Whether a source has counted the error, or the one that it explains. */
  #isCounted(error: CredentialsError): boolean {
    const { cause } = error;
    return this.#counted.has(error) || (cause instanceof Error && this.#counted.has(cause));
  }
}
