/**
 * Owns the sources of the credentials of all accounts, and counts their failures. A source is a provider, the accounts that
 * use it, and its failures. Accounts with the same credentials and site share a source, so a role has one session.
 * `daemon/clients.ts` configures the sources, and asks for the provider of an account.
 */
import { createCalls, type CallSettings, type CallTools } from '../api/call.ts';
import type { CredentialsProvider } from '../api/credentials.ts';
import type { Site } from '../api/request.ts';
import type { CredentialsTools } from './credentials-type.ts';
import { CredentialsError, KeptCredentials, noCredentials, type FailureType } from './provider.ts';
import { identityOf, typeOf, type CredentialsConfig } from './types.ts';
import type { Sample } from '../model/metric-family.ts';

/**
 * Maximum number of attempts of a request of STS: a clock that is wrong, and a source that has ended, each need one more.
 * A fetch that fails is repeated later anyway.
 */
const maxAttempts = 3;

/** The part of a configuration that says where credentials come from. */
export interface CredentialsSettings {
  readonly accounts: readonly {
    readonly name: string;
    readonly site: Site;
    readonly credentials: CredentialsConfig;
  }[];
  readonly api: {
    /** A base URL. `null` for that of the site. */
    readonly stsEndpoint: string | null;
    readonly metadataEndpoint: string;
    readonly timeoutMs: number;
  };
}

type SourcesTools = CallTools & Pick<CredentialsTools, 'env' | 'fileCalls'>;

/** Credentials that accounts share, and their failures. */
interface Source {
  readonly provider: CredentialsProvider;
  /** The name of the rate limits that the source's requests of STS take. */
  readonly signer: string;
  /** The accounts that use the source, also as the source of a role. */
  readonly users: Set<string>;
  /** How often the source has failed, by the type of credentials that failed. */
  readonly failureCounts: Map<FailureType, number>;
  /** Aborts when no account uses the source any more. */
  readonly ending: AbortController;
}

/** The sources have no account before the first `configure`. */
export function createSources(initialApi: CredentialsSettings['api'], tools: SourcesTools) {
  const { clock, env, fileCalls, observer, transport } = tools;
  let api = initialApi;
  /** By the configuration of the credentials and the site. */
  const sources = new Map<string, Source>();
  const byAccount = new Map<string, CredentialsProvider>();
  /** The errors that were counted: a role fails with the error of its source, which has counted it. */
  const counted = new WeakSet<Error>();

  /**
   * Creates a source without users.
   *
   * @param roleSource the credentials that assume the role; `noCredentials` for other types
   */
  const createSource = (
    config: CredentialsConfig,
    roleSource: CredentialsProvider,
    site: Site,
  ): Source => {
    const rules = typeOf(config);
    // The roles of one source share a rate limit, as they are one caller for STS.
    const signer = `STS: ${identityOf(config.type === 'assume_role' ? config.source : config)}`;
    const users = new Set<string>();
    const failureCounts = new Map(rules.failureTypes.map((type) => [type, 0]));
    const ending = new AbortController();
    const source = { signer, users, failureCounts, ending };
    const stsSettings = (credentials: CredentialsProvider): CallSettings => {
      const { stsEndpoint: endpoint, timeoutMs } = api;
      // The requests count for the first account that uses the source, and a corrected clock is logged with it.
      const [account = ''] = users;
      const signing = { credentials, identity: signer, signature: 'tc3' } as const;
      return { ...signing, account, site, endpoint, timeoutMs, maxAttempts };
    };
    const fetch = rules.fetch?.(config, {
      clock,
      env,
      fileCalls,
      transport,
      api: () => api,
      signal: ending.signal,
      stsCalls: (credentials) => createCalls(() => stsSettings(credentials), tools),
      source: roleSource,
    });
    if (fetch === undefined) return { ...source, provider: noCredentials };
    /** The type that a recovery is reported with: of `default`, the first one that it looks for. */
    const [ownType = ''] = rules.failureTypes;
    let isFailing = false;
    /** @param reason why the source fails now; `null`: it works. The observer is called when that begins or ends */
    const report = (type: string, reason: string | null) => {
      const hasChanged = isFailing !== (reason !== null);
      if (hasChanged) observer.credentialsChanged?.({ accounts: [...users], type, reason });
      isFailing = reason !== null;
    };
    /** Fetches, counts a failure, and reports when the source begins or ceases to fail. */
    const countedFetch = async () => {
      try {
        const set = await fetch();
        report(ownType, null);
        return set;
      } catch (error) {
        if (error instanceof CredentialsError && !counted.has(error)) {
          counted.add(error);
          failureCounts.set(error.type, (failureCounts.get(error.type) ?? 0) + 1);
          if (!ending.signal.aborted) report(error.type, error.message);
        }
        throw error;
      }
    };
    return { ...source, provider: new KeptCredentials(countedFetch, clock) };
  };

  /** The source of an account's credentials. Creates it when the first account uses it, and notes the account as a user. */
  const sourceOf = (config: CredentialsConfig, account: string, site: Site): Source => {
    // The source of a role has the account as a user, too.
    const roleSource =
      config.type === 'assume_role'
        ? sourceOf(config.source, account, site).provider
        : noCredentials;
    const key = JSON.stringify([config, site]);
    const source = sources.get(key) ?? createSource(config, roleSource, site);
    sources.set(key, source);
    source.users.add(account);
    return source;
  };

  return {
    /** Applies a configuration. A source that is still configured keeps its credentials; the others end their fetches. */
    configure: (settings: CredentialsSettings) => {
      ({ api } = settings);
      byAccount.clear();
      for (const { users } of sources.values()) users.clear();
      for (const { name, site, credentials } of settings.accounts) {
        byAccount.set(name, sourceOf(credentials, name, site).provider);
      }
      for (const [key, { ending, users }] of sources) {
        if (users.size > 0) continue;
        ending.abort();
        sources.delete(key);
      }
    },
    /** The credentials of a configured account. A name that is not configured gets none: its requests are not signed. */
    of: (account: string) => byAccount.get(account) ?? noCredentials,
    /** The names under which sources have rate limits of STS: each source has one, whether or not it calls STS. */
    signers: () => [...sources.values()].map(({ signer }) => signer),
    /** When the current credentials end, in seconds since the Unix epoch. Only accounts whose credentials end. */
    expiries: () =>
      [...byAccount].flatMap(([account, provider]): Sample[] => {
        const atMs = provider.expiresAtMs();
        return atMs === null ? [] : [{ labels: { account }, value: atMs / 1_000 }];
      }),
    /** How often credentials failed: each account once with every type that it uses. */
    failures: () => sumFailures(sources.values()),
    /** Ends every fetch. */
    close: () => {
      for (const { ending } of sources.values()) ending.abort();
    },
  };
}

/** The failures of each account by type: the sum over the sources that it uses. */
function sumFailures(sources: Iterable<Source>): Sample[] {
  const sums = new Map<string, Sample>();
  for (const { failureCounts, users } of sources) {
    for (const account of users) {
      for (const [type, count] of failureCounts) {
        const key = `${account} ${type}`;
        const value = (sums.get(key)?.value ?? 0) + count;
        sums.set(key, { labels: { account, type }, value });
      }
    }
  }
  return [...sums.values()];
}
