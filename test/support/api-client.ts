/** Clients of the service for tests. They do not wait between attempts, and record every request. */
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createCalls, type CallSettings, type CallTools } from '../../src/api/call.ts';
import type { Credentials, CredentialsProvider } from '../../src/api/credentials.ts';
import { noCredentials } from '../../src/credentials/provider.ts';
import type { ApiObserver } from '../../src/api/observer.ts';
import { RateLimits } from '../../src/api/rate-limit.ts';
import { Transport } from '../../src/api/transport.ts';
import { collectors } from '../../src/collectors/collectors.ts';
import type { PollAnswer, PollContext } from '../../src/model/poll-outcome.ts';
import { newRecord } from '../../src/model/record.ts';
import type { Target } from '../../src/model/target.ts';
import { quotasOf } from './sample-scenario.ts';
import { type StubRequest, type StubService, startStubService } from './stub-service.ts';

type Observed<E extends keyof ApiObserver> = Parameters<ApiObserver[E]>[0];

export interface ClientOptions extends CallSettings, CallTools {
  readonly requestsPerSecond: number;
}

export interface ObservedClient {
  /** Polls a target of the account with its collector. */
  readonly poll: (target: Target, context: PollContext) => Promise<PollAnswer>;
  readonly clockSkewMs: () => number | null;
  readonly finished: Observed<'requestFinished'>[];
  readonly retried: Observed<'retried'>[];
  readonly corrected: Observed<'clockCorrected'>[];
  /** Replaces the settings, as a reload does. */
  readonly configure: (change: Partial<ClientOptions>) => void;
  readonly rateLimits: RateLimits;
  readonly close: () => Promise<void>;
}

/** An unsigned client with a real clock. Retries start at once. */
export function observedClient(
  endpoint: string,
  options: Partial<ClientOptions> = {},
): ObservedClient {
  const finished: ObservedClient['finished'] = [];
  const retried: ObservedClient['retried'] = [];
  const corrected: ObservedClient['corrected'] = [];
  const transport = options.transport ?? new Transport({});
  const rateLimits = options.rateLimits ?? new RateLimits(options.requestsPerSecond ?? 20);
  let settings: CallSettings = {
    account: 'production',
    site: 'domestic',
    endpoint,
    signature: 'hmac-sha256',
    credentials: noCredentials,
    identity: 'production',
    timeoutMs: 10_000,
    maxAttempts: 4,
    ...options,
  };
  const { call, serviceClock } = createCalls(() => settings, {
    clock: { now: () => Date.now() },
    random: () => 0,
    observer: {
      requestFinished: (event) => finished.push(event),
      retried: (event) => retried.push(event),
      clockCorrected: (event) => corrected.push(event),
      credentialsChanged: () => undefined,
    },
    userAgent: 'cvm-quota-monitor/1.2.3',
    ...options,
    transport,
    rateLimits,
  });
  const configure = (change: Partial<ClientOptions>) => {
    settings = { ...settings, ...change };
    const { requestsPerSecond } = change;
    if (requestsPerSecond !== undefined) {
      rateLimits.configure(new Set([settings.identity]), requestsPerSecond);
    }
  };
  return {
    poll: (target, context) => {
      const collector = collectors.of(target);
      const request = { ...collector.service, action: target.operation, region: target.region };
      return collector.poll(
        (parameters, read) => call({ ...request, parameters }, read, context),
        newRecord(target, collector),
        Date.now(),
      );
    },
    clockSkewMs: () => serviceClock.skewMs,
    finished,
    retried,
    corrected,
    configure,
    rateLimits,
    close: () => {
      transport.close();
      return Promise.resolve();
    },
  };
}

/** A context without a deadline. */
export function unbounded(): PollContext {
  return { signal: new AbortController().signal, deadlineMs: Infinity };
}

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
    renew: () => {
      refusals += 1;
      const isOther = next !== present;
      present = next;
      return Promise.resolve(isOther);
    },
    expiresAtMs: () => null,
    refusals: () => refusals,
    rotateTo: (others) => {
      next = others;
    },
  };
}

/** A client of the service, and the stub that it asks; both are closed when the test has finished. */

export async function stubbedClient(
  answer: (request: StubRequest, response: ServerResponse) => void,
  options: Partial<ClientOptions> = {},
): Promise<{ service: StubService; client: ObservedClient }> {
  const service = await startStubService(answer);
  const client = observedClient(service.url, options);
  onTestFinished(client.close);
  return { service, client };
}

export function answerQuota(response: ServerResponse, region = 'ap-guangzhou'): void {
  response.end(quotasOf(region));
}
