/**
 * The clients of the configured accounts: their calls, connections, rate limits and credentials. The daemon has one
 * object, and so has the one poll of `check` and `init`.
 */
import { createCalls, type AccountCalls, type CallSettings, type CallTools } from '../api/call.ts';
import { RateLimits } from '../api/rate-limit.ts';
import { Transport } from '../api/transport.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Config } from '../config/config.ts';
import { callerOf } from '../credentials/types.ts';
import { samplesBy } from '../model/metric-family.ts';
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
  readonly observer: CallTools['observer'];
  /** Names the program and its version to the service. */
  readonly userAgent: string;
}

/** Owns what the requests of all accounts need. */
export class Clients {
  readonly #collectors: CollectorSet;
  readonly #transport: Transport;
  readonly #rateLimits: RateLimits;
  readonly #callTools: CallTools;
  readonly #sources: CredentialsSources;
  /** By account: the settings of the configuration in force. */
  #settings: ReadonlyMap<string, CallSettings> = new Map();
  readonly #calls = new Map<string, AccountCalls>();

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
    const settings = accounts.map(({ name, credentials, site }) => ({
      ...api,
      account: name,
      site,
      credentials: this.#sources.of(name),
      identity: callerOf(name, credentials),
    }));
    this.#settings = new Map(settings.map((each) => [each.account, each]));
    for (const name of this.#calls.keys()) if (!this.#settings.has(name)) this.#calls.delete(name);
    const identities = settings.map(({ identity }) => identity);
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
    const { call } = this.#callsOf(target.account);
    const collector = this.#collectors.of(target);
    const request = { ...collector.service, action: target.operation, region: target.region };
    return collector.poll(
      (parameters, read) => call({ ...request, parameters }, read, context),
      target,
      {
        record: record ?? newRecord(target, collector),
        nowMs: this.#callTools.clock.now(),
      },
    );
  }

  /** The state for the metrics. */
  status(): Omit<ApiStatus, 'requests'> {
    const rates = this.#rateLimits.rates();
    return {
      rates: [...this.#settings.values()].flatMap(({ account, identity }) =>
        samplesBy('operation', rates.get(identity) ?? [], { account }),
      ),
      clockSkews: [...this.#calls].flatMap(([account, { serviceClock }]) => {
        const { skewMs } = serviceClock;
        return skewMs === null ? [] : { labels: { account }, value: skewMs / 1_000 };
      }),
      credentialsExpiries: this.#sources.expiries(),
      credentialsFailures: this.#sources.failures(),
    };
  }

  /** Ends every fetch of credentials and every connection. */
  close(): void {
    this.#sources.close();
    this.#transport.close();
  }

  /** The calls of a configured account, which remember the clock of the service. */
  #callsOf(account: string): AccountCalls {
    const settings = () => {
      const configured = this.#settings.get(account);
      if (configured === undefined) throw new Error(`no account is called ${account}`);
      return configured;
    };
    const calls = this.#calls.get(account) ?? createCalls(settings, this.#callTools);
    this.#calls.set(account, calls);
    return calls;
  }
}
