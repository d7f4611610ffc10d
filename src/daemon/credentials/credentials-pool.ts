/** The credentials of all accounts. Accounts with the same source share it, and a role has one session. */
import { ConnectionPools } from '../../api/connections.ts';
import type { CredentialsProvider, CredentialsType } from '../../api/credentials/credentials.ts';
import { noCredentials } from '../../api/credentials/none.ts';
import { profileSections } from '../../api/credentials/profile.ts';
import { RateLimits } from '../../api/rate-limits.ts';
import type { ApiConfig, Config, CredentialsConfig } from '../../config/config.ts';
import { forLast } from '../../model/for-last.ts';
import {
  createProvider,
  failingTypes,
  stsRequestsPerSecond,
  type ProviderOptions,
} from './create-provider.ts';
import { SourceRecord } from './source-record.ts';

export interface CredentialsFailures {
  readonly account: string;
  readonly type: CredentialsType;
  readonly failures: number;
}

interface Source {
  readonly provider: CredentialsProvider;
  readonly record: SourceRecord;
}

/** Owns the providers, and the connections to STS. */
export class CredentialsPool {
  readonly #options: ProviderOptions;
  /** By their configuration. */
  readonly #sources = new Map<string, Source>();
  readonly #ofAccounts = new Map<string, CredentialsProvider>();
  readonly #counted = new WeakSet<Error>();
  #api: ApiConfig;

  constructor(
    api: ApiConfig,
    options: Omit<ProviderOptions, 'sectionsOf' | 'connections' | 'rateLimits' | 'api'>,
  ) {
    this.#api = api;
    this.#options = {
      ...options,
      sectionsOf: forLast(profileSections),
      connections: new ConnectionPools(),
      rateLimits: new RateLimits(stsRequestsPerSecond),
      api: () => this.#api,
    };
  }

  /** Applies a configuration. A source that is still configured keeps its credentials. */
  configure({ accounts, api }: Pick<Config, 'accounts' | 'api'>): void {
    this.#api = api;
    this.#ofAccounts.clear();
    for (const { record } of this.#sources.values()) record.users.clear();
    for (const { name, credentials } of accounts) {
      this.#ofAccounts.set(name, this.#use(credentials, name));
    }
    for (const [key, { provider, record }] of this.#sources) {
      if (record.users.size > 0) continue;
      provider.close();
      this.#sources.delete(key);
    }
    const { connections, rateLimits } = this.#options;
    const callers = new Set(this.#sources.keys());
    connections.keepOnly(callers);
    rateLimits.configure(callers, stsRequestsPerSecond);
  }

  /** The credentials of a configured account. */
  of(account: string): CredentialsProvider {
    return this.#ofAccounts.get(account) ?? noCredentials;
  }

  /** When the present credentials end, by account. Only accounts whose credentials end. */
  expiriesMs(): ReadonlyMap<string, number> {
    const expiries = new Map<string, number>();
    for (const [account, provider] of this.#ofAccounts) {
      const atMs = provider.expiresAtMs();
      if (atMs !== null) expiries.set(account, atMs);
    }
    return expiries;
  }

  /** How often credentials failed: each account once with every type that it uses. */
  failures(): readonly CredentialsFailures[] {
    const sums = new Map<string, CredentialsFailures>();
    for (const { record } of this.#sources.values()) {
      for (const account of record.users) {
        for (const [type, count] of record.failures) {
          const key = `${account} ${type}`;
          const failures = (sums.get(key)?.failures ?? 0) + count;
          sums.set(key, { account, type, failures });
        }
      }
    }
    return [...sums.values()];
  }

  /** Ends every fetch, every timer and every connection. */
  close(): void {
    for (const { provider } of this.#sources.values()) provider.close();
    this.#options.connections.close();
  }

  /** The provider of a configuration. The source of a role gets the account as a user, too. */
  #use(config: CredentialsConfig, account: string): CredentialsProvider {
    const inner = config.type === 'assume_role' ? this.#use(config.source, account) : noCredentials;
    const key = JSON.stringify(config);
    let source = this.#sources.get(key);
    if (source === undefined) {
      const record = new SourceRecord(failingTypes(config), this.#counted, this.#options.observer);
      // The roles of one source share a rate limit, as they are one caller for STS.
      const caller = config.type === 'assume_role' ? JSON.stringify(config.source) : key;
      const provider = createProvider(config, { caller, source: inner, record }, this.#options);
      source = { provider, record };
      this.#sources.set(key, source);
    }
    source.record.users.add(account);
    return source.provider;
  }
}
