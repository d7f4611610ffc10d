/** Clients of the service for tests. They do not wait between attempts, and record every request. */
import { LargeAnswers } from '../../src/api/answer-body.ts';
import { createRetryingCall } from '../../src/api/retrying-call.ts';
import { collectors } from '../../src/collectors/collectors.ts';
import { ConnectionPools } from '../../src/api/connections.ts';
import { noCredentials } from '../../src/api/credentials/none.ts';
import type { Credentials, CredentialsProvider } from '../../src/api/credentials/credentials.ts';
import type { ApiObserver } from '../../src/api/observer.ts';
import type { ClientOptions } from '../../src/api/options.ts';
import { RateLimits } from '../../src/api/rate-limits.ts';
import { Routes } from '../../src/api/routes.ts';
import { ServiceClock } from '../../src/api/service-clock.ts';
import { YieldQueue } from '../../src/api/yield-queue.ts';
import type { PollAnswer, PollContext } from '../../src/model/poll-outcome.ts';
import type { Target } from '../../src/model/target.ts';
import { unlessAborted } from '../../src/model/unless-aborted.ts';
import { quotaTypes, type QuotaSelection } from '../../src/collectors/quota/selection.ts';
import type { QuotaTarget } from '../../src/collectors/quota/quota.ts';
import type { LaunchTemplateTarget } from '../../src/collectors/launch-template/launch-template.ts';

type Observed<E extends keyof ApiObserver> = Parameters<ApiObserver[E]>[0];

export interface ObservedClient {
  /** Polls a target of the account with its collector. */
  readonly poll: (target: Target, context: PollContext) => Promise<PollAnswer>;
  readonly clockSkewMs: () => number | null;
  readonly finished: Observed<'requestFinished'>[];
  readonly retried: Observed<'retried'>[];
  readonly waited: Observed<'rateLimitWaited'>[];
  readonly corrected: Observed<'clockCorrected'>[];
  /** Replaces the settings, as a reload does. */
  readonly configure: (change: Partial<ClientOptions>) => void;
  readonly close: () => Promise<void>;
}

/** An unsigned client with a real clock. Retries start at once. */
export function observedClient(
  endpoint: string,
  options: Partial<ClientOptions> = {},
): ObservedClient {
  const finished: ObservedClient['finished'] = [];
  const retried: ObservedClient['retried'] = [];
  const waited: ObservedClient['waited'] = [];
  const connections = new ConnectionPools();
  const corrected: ObservedClient['corrected'] = [];
  let settings: ClientOptions = {
    account: 'production',
    endpoint,
    signature: 'hmac-sha256',
    credentials: noCredentials,
    requestsPerSecond: 20,
    timeoutMs: 10_000,
    maxAttempts: 4,
    clock: { now: () => Date.now() },
    random: () => 0,
    observer: {
      requestFinished: (event) => finished.push(event),
      retried: (event) => retried.push(event),
      rateLimitWaited: (event) => waited.push(event),
      clockCorrected: (event) => corrected.push(event),
      credentialsFailed: () => undefined,
      credentialsRecovered: () => undefined,
    },
    connections,
    largeAnswers: new LargeAnswers(),
    yieldQueue: new YieldQueue(),
    rateLimits: new RateLimits(options.requestsPerSecond ?? 20),
    routes: new Routes({}),
    userAgent: 'cvm-quota-monitor/1.2.3',
    ...options,
  };
  const serviceClock = new ServiceClock();
  const call = createRetryingCall(() => settings, serviceClock);
  const poll = (target: Target, context: PollContext) =>
    unlessAborted(collectors.of(target).poll(call, target, context), context.signal);
  const configure = (change: Partial<ClientOptions>) => {
    settings = { ...settings, ...change };
    settings.rateLimits.configure(new Set([settings.account]), settings.requestsPerSecond);
  };
  const close = () => {
    connections.close();
    return Promise.resolve();
  };
  const clockSkewMs = () => serviceClock.skewMs;
  return { poll, clockSkewMs, finished, retried, waited, corrected, configure, close };
}

/** A context without a deadline. */
export function unbounded(): PollContext {
  return { signal: new AbortController().signal, deadlineMs: Infinity };
}

export function quotaTarget(
  selection: Partial<QuotaSelection> = {},
  region = 'ap-guangzhou',
): QuotaTarget {
  return {
    account: 'production',
    region,
    operation: 'DescribeAccountQuota',
    selection: { quotaTypes, zones: null, ...selection },
  };
}

export const templateTarget: LaunchTemplateTarget = {
  account: 'production',
  region: 'ap-guangzhou',
  operation: 'DescribeLaunchTemplateVersions',
  resource: { template_id: 'lt-b8v1kcyq' },
};

/** Credentials with a unique text, so that a test finds them in any output. */
export const recognisable = {
  secretId: 'AKIDexampleidthatisrecognised',
  secretKey: 'examplekeythatisrecognised',
  token: 'exampletoken/that+is=recognised',
};

/** Credentials that others can take the place of. */
export interface FixedCredentials extends CredentialsProvider {
  /** How often the service refused them. */
  readonly refusals: () => number;
  /** Credentials that `get` gives once the present ones are refused. */
  readonly rotateTo: (credentials: Credentials) => void;
}

export function fixedCredentials(credentials: Credentials = recognisable): FixedCredentials {
  let present = credentials;
  let next = credentials;
  let refusals = 0;
  return {
    get: () => Promise.resolve(present),
    refused: () => {
      refusals += 1;
      const isOther = next !== present;
      present = next;
      return Promise.resolve(isOther);
    },
    expiresAtMs: () => null,
    close: () => undefined,
    refusals: () => refusals,
    rotateTo: (others) => {
      next = others;
    },
  };
}
