/** Turns the configured accounts into one function that polls any of their targets. */
import { isDeepStrictEqual } from 'node:util';
import { LargeAnswers } from '../api/answer-body.ts';
import { createRetryingCall } from '../api/retrying-call.ts';
import { ConnectionPools } from '../api/connections.ts';
import type { CredentialsProvider } from '../api/credentials/credentials.ts';
import { environmentCredentials } from '../api/credentials/environment.ts';
import { fileCredentials } from '../api/credentials/files.ts';
import { noCredentials } from '../api/credentials/none.ts';
import type { ApiObserver } from '../api/observer.ts';
import type { ClientOptions } from '../api/options.ts';
import { RateLimits, type RateInForce } from '../api/rate-limits.ts';
import { ServiceClock } from '../api/service-clock.ts';
import { YieldQueue } from '../api/yield-queue.ts';
import { createAccountPoll, type AccountPoll } from '../collectors/account-poll.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { AccountConfig, Config, CredentialsConfig } from '../config/config.ts';
import type { Clock } from '../model/clock.ts';
import type { PollAnswer, PollContext } from '../model/poll-outcome.ts';
import type { Target } from '../model/target.ts';

/** The sources of time, random numbers and environment variables. */
export interface Surroundings {
  readonly clock: Clock;
  readonly random: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ClientsOptions extends Surroundings {
  readonly collectors: CollectorSet;
  readonly observer: ApiObserver;
  /** Names the program and its version to the service. */
  readonly userAgent: string;
  /** Called when two accounts have the same SecretId: they share one rate limit. */
  readonly onSharedRateLimit?: (account: string, other: string) => void;
}

type ClientsConfig = Pick<Config, 'api' | 'accounts'>;

/** An account, and the objects for its configuration. */
interface Account {
  readonly poll: AccountPoll;
  readonly serviceClock: ServiceClock;
  credentialsConfig: CredentialsConfig;
  apiConfig: Config['api'];
  options: ClientOptions;
}

/** The configured accounts: owns their clients, credentials, connections and rate limits. */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #connections = new ConnectionPools();
  readonly #largeAnswers = new LargeAnswers();
  readonly #yieldQueue = new YieldQueue();
  readonly #rateLimits: RateLimits;
  readonly #accounts = new Map<string, Account>();

  constructor(config: ClientsConfig, options: ClientsOptions) {
    this.#options = options;
    this.#rateLimits = new RateLimits(config.api.requestsPerSecond, options.onSharedRateLimit);
    this.configure(config);
  }

  /**
   * Applies a configuration. Requests in flight end unchanged. An unchanged account keeps its connections and
   * its rate limits. It also keeps its credentials, unless their configuration changed.
   */
  configure({ accounts, api }: ClientsConfig): void {
    const names = new Set(accounts.map(({ name }) => name));
    for (const name of this.#accounts.keys()) if (!names.has(name)) this.#accounts.delete(name);
    for (const account of accounts) this.#configureAccount(account, api);
    this.#rateLimits.configure(names, api.requestsPerSecond);
  }

  /** Frees the connections of removed accounts. Their polls must have ended. */
  keepOnly(accounts: ReadonlySet<string>): void {
    this.#connections.keepOnly(accounts);
  }

  /** Asks the service about a target of a configured account; rejects with a CodedError. */
  async poll(target: Target, context: PollContext): Promise<PollAnswer> {
    const account = this.#accounts.get(target.account);
    if (account === undefined) throw new Error(`no account is called ${target.account}`);
    return account.poll(target, context);
  }

  /** The present rates, of every account and operation that has sent a request. */
  rates(): readonly RateInForce[] {
    return this.#rateLimits.rates();
  }

  /** How far the machine's clock is ahead of the service's, by account. Only accounts that had an answer. */
  clockSkewsMs(): ReadonlyMap<string, number> {
    const skews = new Map<string, number>();
    for (const [name, { serviceClock }] of this.#accounts) {
      const { skewMs } = serviceClock;
      if (skewMs !== null) skews.set(name, skewMs);
    }
    return skews;
  }

  /** Ends every connection. */
  close(): void {
    this.#connections.close();
  }

  #configureAccount({ name, credentials }: AccountConfig, api: Config['api']): void {
    const known = this.#accounts.get(name);
    const keepsCredentials =
      known !== undefined && isDeepStrictEqual(known.credentialsConfig, credentials);
    if (keepsCredentials && isDeepStrictEqual(known.apiConfig, api)) return;
    const { clock, env, observer, random, userAgent } = this.#options;
    const options: ClientOptions = {
      ...api,
      account: name,
      credentials: keepsCredentials
        ? known.options.credentials
        : providerOf(credentials, clock, env),
      clock,
      random,
      observer,
      userAgent,
      connections: this.#connections,
      largeAnswers: this.#largeAnswers,
      yieldQueue: this.#yieldQueue,
      rateLimits: this.#rateLimits,
    };
    if (known === undefined) {
      const serviceClock = new ServiceClock();
      const call = createRetryingCall(() => account.options, serviceClock);
      const account: Account = {
        poll: createAccountPoll(call, () => account.options.credentials, this.#options.collectors),
        serviceClock,
        credentialsConfig: credentials,
        apiConfig: api,
        options,
      };
      this.#accounts.set(name, account);
    } else {
      known.credentialsConfig = credentials;
      known.apiConfig = api;
      known.options = options;
    }
  }
}

function providerOf(
  config: CredentialsConfig,
  clock: Clock,
  env: Surroundings['env'],
): CredentialsProvider {
  switch (config.type) {
    case 'none':
      return noCredentials;
    case 'environment':
      return environmentCredentials(env, {
        secretId: config.secret_id_env,
        secretKey: config.secret_key_env,
        token: config.token_env,
      });
    case 'files':
      return fileCredentials(
        {
          secretIdFile: config.secret_id_file,
          secretKeyFile: config.secret_key_file,
          tokenFile: config.token_file,
        },
        clock,
      );
  }
}
