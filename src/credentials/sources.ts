/** The sources of the credentials of all accounts. Accounts with the same source share it, and a role has one session. */
import type { CallTools } from '../api/attempt.ts';
import { createCalls } from '../api/call.ts';
import type { CredentialsProvider } from '../api/credentials.ts';
import type { Site } from '../api/request.ts';
import type { CredentialsTools } from './credentials-type.ts';
import { CredentialsError, noCredentials, type FailureType } from './provider.ts';
import { identityOf, typeOf, type CredentialsConfig } from './types.ts';
import type { Sample } from '../model/metric-family.ts';

/**
 * A clock that is wrong, and a source that has ended, each need one attempt more. A fetch that fails is repeated
 * later anyway.
 */
const stsMaxAttempts = 3;

/** An account of the configuration, and who signs its requests. */
interface CredentialsAccount {
  readonly name: string;
  readonly site: Site;
  readonly credentials: CredentialsConfig;
}

/** The part of a configuration that says where credentials come from. */
export interface CredentialsSettings {
  readonly accounts: readonly CredentialsAccount[];
  readonly api: {
    /** A base URL. `null` for that of the site. */
    readonly stsEndpoint: string | null;
    readonly metadataEndpoint: string;
    readonly timeoutMs: number;
  };
}

type SourcesTools = CallTools & Pick<CredentialsTools, 'env' | 'fileCalls'>;

interface SharedSource {
  /** The owner of its rate limit of STS. */
  readonly signer: string;
  readonly provider: CredentialsProvider;
  /** The accounts that use it, also as the source of a role. */
  readonly users: Set<string>;
  /** How often each type has failed. */
  readonly failures: Map<FailureType, number>;
  isFailing: boolean;
  /** Aborts when no account uses it any more. */
  readonly ending: AbortController;
}

/** Owns the providers, and counts their failures. */
export class CredentialsSources {
  readonly #tools: SourcesTools;
  /** By their configuration and site. */
  readonly #sources = new Map<string, SharedSource>();
  readonly #ofAccounts = new Map<string, CredentialsProvider>();
  /** Requests that wait for one fetch get the same error. The source of a role has counted its own errors. */
  readonly #counted = new WeakSet<Error>();
  #api: CredentialsSettings['api'];

  constructor(api: CredentialsSettings['api'], tools: SourcesTools) {
    this.#api = api;
    this.#tools = tools;
  }

  /** Applies a configuration. A source that is still configured keeps its credentials. */
  configure({ accounts, api }: CredentialsSettings): void {
    this.#api = api;
    this.#ofAccounts.clear();
    for (const { users } of this.#sources.values()) users.clear();
    for (const account of accounts) {
      this.#ofAccounts.set(account.name, this.#use(account.credentials, account).provider);
    }
    for (const [key, { ending, users }] of this.#sources) {
      if (users.size > 0) continue;
      ending.abort();
      this.#sources.delete(key);
    }
  }

  /** The credentials of a configured account. */
  of(account: string): CredentialsProvider {
    return this.#ofAccounts.get(account) ?? noCredentials;
  }

  /** The owners of the rate limits of STS. */
  signers(): readonly string[] {
    return [...this.#sources.values()].map(({ signer }) => signer);
  }

  /** When the present credentials end, by account. Only accounts whose credentials end. */
  expiries(): readonly Sample[] {
    return [...this.#ofAccounts].flatMap(([account, provider]) => {
      const atMs = provider.expiresAtMs();
      return atMs === null ? [] : { labels: { account }, value: atMs / 1_000 };
    });
  }

  /** How often credentials failed: each account once with every type that it uses. */
  failures(): readonly Sample[] {
    const sums = new Map<string, Sample>();
    for (const source of this.#sources.values()) {
      for (const account of source.users) {
        for (const [type, count] of source.failures) {
          const key = `${account} ${type}`;
          const value = (sums.get(key)?.value ?? 0) + count;
          sums.set(key, { labels: { account, type }, value });
        }
      }
    }
    return [...sums.values()];
  }

  /** Ends every fetch. */
  close(): void {
    for (const { ending } of this.#sources.values()) ending.abort();
  }

  /** The source of a configuration. The source of a role gets the account as a user, too. */
  #use(config: CredentialsConfig, account: CredentialsAccount): SharedSource {
    const { site } = account;
    const inner =
      config.type === 'assume_role' ? this.#use(config.source, account).provider : noCredentials;
    // The roles of one source share a rate limit, as they are one caller for STS.
    const signs = config.type === 'assume_role' ? config.source : config;
    const signer = `STS: ${identityOf(signs)}`;
    const key = JSON.stringify([config, site]);
    const source = this.#sources.get(key) ?? this.#create(config, { inner, signer, site });
    this.#sources.set(key, source);
    source.users.add(account.name);
    return source;
  }

  #create(
    config: CredentialsConfig,
    {
      inner,
      signer,
      site,
    }: { inner: CredentialsProvider; signer: string } & Pick<CredentialsAccount, 'site'>,
  ): SharedSource {
    const row = typeOf(config);
    const { clock } = this.#tools;
    const ending = new AbortController();
    const { signal } = ending;
    const api = () => this.#api;
    const sts = (credentials: CredentialsProvider) => {
      const current = () => {
        const { stsEndpoint: endpoint, timeoutMs } = this.#api;
        // Its requests count for the first account that uses it.
        const [first = ''] = source.users;
        const limits = { timeoutMs, maxAttempts: stsMaxAttempts };
        const own = { account: first, endpoint, site, signature: 'tc3', credentials } as const;
        return { ...own, ...limits, identity: signer };
      };
      const calls = createCalls(current, this.#tools);
      return { ...calls, clock, signal, maxRetryMs: () => this.#api.timeoutMs };
    };
    const countFailures = <T>(work: Promise<T>): Promise<T> =>
      work.then(
        (result) => {
          this.#worked(source);
          return result;
        },
        (error: unknown) => {
          this.#failed(source, error);
          throw error;
        },
      );
    const source: SharedSource = {
      signer,
      provider: row.create(config, {
        ...this.#tools,
        api,
        signal,
        countFailures,
        sts,
        source: inner,
      }),
      users: new Set(),
      failures: new Map(row.failureTypes.map((type) => [type, 0])),
      isFailing: false,
      ending,
    };
    return source;
  }

  #failed(source: SharedSource, error: unknown): void {
    if (!(error instanceof CredentialsError) || this.#isCounted(error)) return;
    this.#counted.add(error);
    const { type, message: reason } = error;
    source.failures.set(type, (source.failures.get(type) ?? 0) + 1);
    if (source.isFailing || source.ending.signal.aborted) return;
    source.isFailing = true;
    this.#tools.observer.credentialsChanged({ accounts: [...source.users], type, reason });
  }

  #worked(source: SharedSource): void {
    if (!source.isFailing) return;
    source.isFailing = false;
    const [type = ''] = source.failures.keys();
    this.#tools.observer.credentialsChanged({ accounts: [...source.users], type, reason: null });
  }

  /** Whether a source has counted the error, or the one that it explains. */
  #isCounted(error: CredentialsError): boolean {
    const { cause } = error;
    return this.#counted.has(error) || (cause instanceof Error && this.#counted.has(cause));
  }
}
