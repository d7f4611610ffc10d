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

/** Owns what the requests of all accounts need. */
export function createClients(options: ClientsOptions) {
  const { clock, collectors, config, env, fileCalls, observer, random, userAgent } = options;
  const transport = new Transport(env);
  const rateLimits = new RateLimits(config.api.requestsPerSecond);
  const callTools: CallTools = { clock, random, observer, userAgent, transport, rateLimits };
  const sources = createSources(config.api, { ...callTools, env, fileCalls });
  /** The settings of the configuration in force. */
  let settingsByAccount: ReadonlyMap<string, CallSettings> = new Map();
  /** They remember the clock of the service. */
  const callsByAccount = new Map<string, AccountCalls>();

  /** Applies a configuration. It counts for the next attempt of each request. */
  const configure = ({ accounts, api }: ClientsConfig): void => {
    transport.configure(api);
    sources.configure({ accounts, api });
    const settings = accounts.map(({ name, credentials, site }) => ({
      ...api,
      account: name,
      site,
      credentials: sources.of(name),
      identity: callerOf(name, credentials),
    }));
    settingsByAccount = new Map(settings.map((each) => [each.account, each]));
    for (const name of callsByAccount.keys())
      if (!settingsByAccount.has(name)) callsByAccount.delete(name);
    const identities = settings.map(({ identity }) => identity);
    const callers = new Set([...identities, ...sources.signers()]);
    rateLimits.configure(callers, api.requestsPerSecond);
  };

  /**
   * Asks the service about a target of a configured account; rejects with a CodedError, or with any
   * error once the signal has aborted. Any other error is a bug.
   *
   * @param record of the target. Default: one that was never polled
   */
  const poll = async (
    target: Target,
    context: PollContext,
    record?: TargetRecord,
  ): Promise<PollAnswer> => {
    const { account, operation: action, region } = target;
    const settings = () => {
      const configured = settingsByAccount.get(account);
      if (configured === undefined) throw new Error(`no account is called ${account}`);
      return configured;
    };
    const calls = callsByAccount.get(account) ?? createCalls(settings, callTools);
    callsByAccount.set(account, calls);
    const collector = collectors.of(target);
    const request = { ...collector.service, action, region };
    const known = record ?? newRecord(target, collector);
    return collector.poll(
      (parameters, read) => calls.call({ ...request, parameters }, read, context),
      // A reload may have given the record another target since the poll began.
      { ...known, target },
      clock.now(),
    );
  };

  /** The state for the metrics. */
  const status = (): Omit<ApiStatus, 'requests'> => {
    const rates = rateLimits.rates();
    return {
      rates: [...settingsByAccount.values()].flatMap(({ account, identity }) =>
        samplesBy('operation', rates.get(identity) ?? [], { account }),
      ),
      clockSkews: [...callsByAccount].flatMap(([account, { serviceClock }]) => {
        const { skewMs } = serviceClock;
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
