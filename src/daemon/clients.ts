/**
 * The clients of the configured accounts: their calls, connections, rate limits and credentials. The daemon has one
 * object, and so has the one poll of `check` and `init`.
 */
import { createCalls, type AccountCalls, type CallSettings, type CallTools } from '../api/call.ts';
import type { ApiObserver } from '../api/observer.ts';
import { RateLimits } from '../api/rate-limit.ts';
import { Transport } from '../api/transport.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Config } from '../config/config.ts';
import { callerOf } from '../credentials/types.ts';
import type { ApiStatus } from '../model/monitor-status.ts';
import type { PollAnswer, PollContext } from '../model/poll-outcome.ts';
import { newRecord, type TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { CredentialsSources } from '../credentials/sources.ts';
import type { Runtime } from './runtime.ts';

type ClientsConfig = Pick<Config, 'api' | 'accounts'>;

export interface ClientsOptions extends Runtime {
  readonly config: ClientsConfig;
  readonly collectors: CollectorSet;
  readonly observer: ApiObserver;
  /** Names the program and its version to the service. */
  readonly userAgent: string;
}

/** The calls of an account, with the settings of the configuration in force. */
interface Client extends AccountCalls {
  readonly current: { settings: CallSettings };
}

/** Owns what the requests of all accounts need. */
export class Clients {
  readonly #collectors: CollectorSet;
  readonly #transport: Transport;
  readonly #rateLimits: RateLimits;
  readonly #callTools: CallTools;
  readonly #sources: CredentialsSources;
  readonly #clients = new Map<string, Client>();

  constructor(options: ClientsOptions) {
    const { clock, collectors, config, env, fileCalls, observer, random, userAgent } = options;
    this.#collectors = collectors;
    this.#transport = new Transport(env);
    this.#rateLimits = new RateLimits(config.api.requestsPerSecond);
    this.#callTools = {
      clock,
      random,
      observer,
      userAgent,
      transport: this.#transport,
      rateLimits: this.#rateLimits,
    };
    this.#sources = new CredentialsSources(config.api, { ...this.#callTools, env, fileCalls });
    this.configure(config);
  }

  /** Applies a configuration. It counts for the next attempt of each request. */
  configure({ accounts, api }: ClientsConfig): void {
    this.#transport.configure(api);
    this.#sources.configure({ accounts, api });
    const settingsOf = new Map(
      accounts.map(({ name, credentials, site }): [string, CallSettings] => [
        name,
        {
          ...api,
          account: name,
          site,
          credentials: this.#sources.of(name),
          identity: callerOf(name, credentials),
        },
      ]),
    );
    for (const name of this.#clients.keys()) if (!settingsOf.has(name)) this.#clients.delete(name);
    for (const [name, settings] of settingsOf) {
      const client = this.#clients.get(name);
      if (client === undefined) this.#clients.set(name, this.#createClient(settings));
      else client.current.settings = settings;
    }
    const identities = [...settingsOf.values()].map(({ identity }) => identity);
    const callers = new Set([...identities, ...this.#sources.signers()]);
    this.#rateLimits.configure(callers, api.requestsPerSecond);
  }

  /**
   * Asks the service about a target of a configured account; rejects with a CodedError, or with any
   * error once the signal has aborted. Any other error is a bug.
   *
   * @param record of the target. Default: one that was never polled
   */
  async poll(target: Target, context: PollContext, record?: TargetRecord): Promise<PollAnswer> {
    const client = this.#clients.get(target.account);
    if (client === undefined) throw new Error(`no account is called ${target.account}`);
    const collector = this.#collectors.of(target);
    const request = { ...collector.service, action: target.operation, region: target.region };
    return collector.poll(
      (parameters, read) => client.call({ ...request, parameters }, read, context),
      target,
      {
        record: record ?? newRecord(target, collector),
        nowMs: this.#callTools.clock.now(),
      },
    );
  }

  /** The state for the metrics. */
  status(): Omit<ApiStatus, 'requests'> {
    const clients = [...this.#clients];
    const rates = this.#rateLimits.rates();
    return {
      rates: clients.flatMap(([account, { current }]) =>
        rates
          .filter(({ identity }) => identity === current.settings.identity)
          .map((rate) => ({
            labels: { account, operation: rate.operation },
            value: rate.requestsPerSecond,
          })),
      ),
      clockSkews: clients.flatMap(
        ([
          account,
          {
            serviceClock: { skewMs },
          },
        ]) => (skewMs === null ? [] : { labels: { account }, value: skewMs / 1_000 }),
      ),
      credentialsExpiries: this.#sources.expiries(),
      credentialsFailures: this.#sources.failures(),
    };
  }

  /** Ends every fetch of credentials and every connection. */
  close(): void {
    this.#sources.close();
    this.#transport.close();
  }

  #createClient(settings: CallSettings): Client {
    const current = { settings };
    return { ...createCalls(() => current.settings, this.#callTools), current };
  }
}
