/** Turns the configured accounts into one function that polls any of their targets. */
import { isDeepStrictEqual } from 'node:util';
import { LargeAnswers } from '../api/answer-body.ts';
import { createRetryingCall, type ServiceCall } from '../api/retrying-call.ts';
import { ConnectionPools } from '../api/connections.ts';
import type { ApiObserver } from '../api/observer.ts';
import type { ClientOptions } from '../api/options.ts';
import { RateLimits } from '../api/rate-limits.ts';
import { Routes } from '../api/routes.ts';
import { ServiceClock } from '../api/service-clock.ts';
import { YieldQueue } from '../api/yield-queue.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { AccountConfig, Config } from '../config/config.ts';
import type { ApiStatus } from '../expose/metrics/api-status-metrics.ts';
import type { PollAnswer, PollContext } from '../model/poll-outcome.ts';
import type { Target } from '../model/target.ts';
import { unlessAborted } from '../model/unless-aborted.ts';
import { CredentialsPool } from './credentials/credentials-pool.ts';
import type { Surroundings } from './surroundings.ts';

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
  readonly call: ServiceCall;
  readonly serviceClock: ServiceClock;
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
  readonly #routes: Routes;
  readonly #credentials: CredentialsPool;
  readonly #accounts = new Map<string, Account>();

  constructor(config: ClientsConfig, options: ClientsOptions) {
    this.#options = options;
    this.#routes = new Routes(options.env);
    this.#rateLimits = new RateLimits(config.api.requestsPerSecond, options.onSharedRateLimit);
    this.#credentials = new CredentialsPool(config.api, {
      ...options,
      largeAnswers: this.#largeAnswers,
      yieldQueue: this.#yieldQueue,
      routes: this.#routes,
    });
    this.configure(config);
  }

  /**
   * Applies a configuration. Requests in flight end unchanged. An unchanged account keeps its rate limits, and
   * its connections to every endpoint that is reached as before. It also keeps its credentials, unless their
   * configuration changed.
   */
  configure(config: ClientsConfig): void {
    const { accounts, api } = config;
    this.#routes.configure(api);
    this.#credentials.configure(config);
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
  poll(target: Target, context: PollContext): Promise<PollAnswer> {
    const account = this.#accounts.get(target.account);
    if (account === undefined) {
      return Promise.reject(new Error(`no account is called ${target.account}`));
    }
    // The polls of a cycle begin one after the other. They then share connections, and need little memory.
    const { collectors } = this.#options;
    const polling = this.#yieldQueue
      .idleTurn()
      .then(() => collectors.of(target).poll(account.call, target, context));
    // A poll may wait for credentials, which do not know its signal.
    return unlessAborted(polling, context.signal);
  }

  /** The state for the metrics. */
  status(): ApiStatus {
    return {
      rates: this.#rateLimits.rates(),
      clockSkewsMs: this.#clockSkewsMs(),
      credentialsExpiriesMs: this.#credentials.expiriesMs(),
      credentialsFailures: this.#credentials.failures(),
    };
  }

  /** Ends every connection. */
  close(): void {
    this.#credentials.close();
    this.#connections.close();
  }

  /** How far the machine's clock is ahead of the service's, by account. Only accounts that had an answer. */
  #clockSkewsMs(): ReadonlyMap<string, number> {
    const skews = new Map<string, number>();
    for (const [name, { serviceClock }] of this.#accounts) {
      const { skewMs } = serviceClock;
      if (skewMs !== null) skews.set(name, skewMs);
    }
    return skews;
  }

  #configureAccount({ name }: AccountConfig, api: Config['api']): void {
    const known = this.#accounts.get(name);
    const credentials = this.#credentials.of(name);
    const keepsCredentials = known?.options.credentials === credentials;
    if (keepsCredentials && isDeepStrictEqual(known.apiConfig, api)) return;
    const { clock, observer, random, userAgent } = this.#options;
    const options: ClientOptions = {
      ...api,
      account: name,
      credentials,
      clock,
      random,
      observer,
      userAgent,
      connections: this.#connections,
      largeAnswers: this.#largeAnswers,
      yieldQueue: this.#yieldQueue,
      rateLimits: this.#rateLimits,
      routes: this.#routes,
    };
    if (known === undefined) {
      const serviceClock = new ServiceClock();
      const account: Account = {
        call: createRetryingCall(() => account.options, serviceClock),
        serviceClock,
        apiConfig: api,
        options,
      };
      this.#accounts.set(name, account);
    } else {
      known.apiConfig = api;
      known.options = options;
    }
  }
}
