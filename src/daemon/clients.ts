/**
 * The clients of the configured accounts: their calls, connections, rate limits and credentials. The daemon creates them
 * once, and so does `commands/poll-all.ts` for `check` and `init`.
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
import { createSources } from '../credentials/sources.ts';
import type { Runtime } from './runtime.ts';

type ClientsConfig = Pick<Config, 'api' | 'accounts'>;

export interface ClientsOptions extends Runtime {
  readonly config: ClientsConfig;
  readonly collectors: CollectorSet;
  readonly observer: CallTools['observer'];
  /** Names the program and its version to the service. */
  readonly userAgent: string;
}

/** An account: its settings in the configuration in force, and its calls, which remember the clock of the service. */
interface Client extends CallSettings {
  readonly calls: AccountCalls;
}

/** Creates the clients with a first configuration. Accounts share the transport, the rate limits and the sources. */
export function createClients(options: ClientsOptions) {
  const { clock, collectors, config, env, fileCalls, observer, random, userAgent } = options;
  const transport = new Transport(env);
  const rateLimits = new RateLimits(config.api.requestsPerSecond);
  const callTools: CallTools = { clock, random, observer, userAgent, transport, rateLimits };
  const sources = createSources(config.api, { ...callTools, env, fileCalls });
  /** By the name of the account. `configure` replaces the map. */
  let clients: ReadonlyMap<string, Client> = new Map();
  const clientOf = (account: string): Client => {
    const client = clients.get(account);
    if (client === undefined) throw new Error(`no account is called ${account}`);
    return client;
  };

  /**
   * Applies a configuration, from the next attempt of each request on. An account that stays keeps its calls. Credentials come
   * first, as the clients refer to their sources, and rate limits last, as they keep those of the callers only.
   */
  const configure = ({ accounts, api }: ClientsConfig): void => {
    transport.configure(api);
    sources.configure({ accounts, api });
    const { endpoint, maxAttempts, signature, timeoutMs } = api;
    const configured = accounts.map(({ name: account, credentials: given, site }): Client => {
      const calls = clients.get(account)?.calls ?? createCalls(() => clientOf(account), callTools);
      const caller = { identity: callerOf(account, given), credentials: sources.of(account) };
      return { account, site, endpoint, signature, timeoutMs, maxAttempts, ...caller, calls };
    });
    clients = new Map(configured.map((client) => [client.account, client]));
    const identities = configured.map(({ identity }) => identity);
    const callers = new Set([...identities, ...sources.signers()]);
    rateLimits.configure(callers, api.requestsPerSecond);
  };

  /**
   * Asks the service about a target of a configured account. Rejects with a CodedError, or with any error once the signal
   * of the context has aborted. Any other error is a bug.
   *
   * @param record the record of the target. Default: one that was never polled
   */
  const poll = async (
    target: Target,
    context: PollContext,
    record: TargetRecord = newRecord(target, collectors.of(target)),
  ): Promise<PollAnswer> => {
    const { account, operation: action, region } = target;
    const { calls } = clientOf(account);
    const collector = collectors.of(target);
    const request = { ...collector.service, action, region };
    return collector.poll(
      (parameters, read) => calls.call({ ...request, parameters }, read, context),
      record,
      clock.now(),
    );
  };

  /** The state for the metrics, without the counts of requests, which `api-observer.ts` has. */
  const status = (): Omit<ApiStatus, 'requests'> => {
    const rates = rateLimits.rates();
    return {
      rates: [...clients.values()].flatMap(({ account, identity }) =>
        samplesBy('operation', rates.get(identity) ?? [], { account }),
      ),
      clockSkews: [...clients.values()].flatMap(({ account, calls }) => {
        const { skewMs } = calls.serviceClock;
        return skewMs === null ? [] : { labels: { account }, value: skewMs / 1_000 };
      }),
      credentialsExpiries: sources.expiries(),
      credentialsFailures: sources.failures(),
    };
  };

  /** Ends every fetch of credentials and every connection. */
  const close = (): void => {
    sources.close();
    transport.close();
  };

  configure(config);
  return { configure, poll, status, close };
}
