/** Creates the provider of each type of credentials. */
import type { LargeAnswers } from '../../api/answer-body.ts';
import type { ConnectionPools } from '../../api/connections.ts';
import type {
  Credentials,
  CredentialsProvider,
  CredentialsType,
} from '../../api/credentials/credentials.ts';
import { DefaultCredentials } from '../../api/credentials/default.ts';
import { environmentCredentials } from '../../api/credentials/environment.ts';
import { ExpiringCredentials, type ExpiringOptions } from '../../api/credentials/expiring.ts';
import { fileCredentials } from '../../api/credentials/files.ts';
import { cvmRoleFetch } from '../../api/credentials/metadata.ts';
import { noCredentials } from '../../api/credentials/none.ts';
import { existingSources } from '../../api/credentials/existing-sources.ts';
import {
  profileCredentials,
  usualProfileFiles,
  type ProfileOptions,
} from '../../api/credentials/profile.ts';
import type { ApiObserver } from '../../api/observer.ts';
import type { ClientOptions } from '../../api/options.ts';
import type { RateLimits } from '../../api/rate-limits.ts';
import type { Routes } from '../../api/routes.ts';
import { createRetryingCall } from '../../api/retrying-call.ts';
import { ServiceClock } from '../../api/service-clock.ts';
import { assumeRoleFetch, tkeOidcFetch, type StsClient } from '../../api/sts/role-session.ts';
import type { YieldQueue } from '../../api/yield-queue.ts';
import type { ApiConfig, CredentialsConfig } from '../../config/config.ts';
import type { Surroundings } from '../surroundings.ts';
import type { SourceRecord } from './source-record.ts';

export interface ProviderOptions extends Surroundings {
  readonly observer: ApiObserver;
  readonly userAgent: string;
  readonly largeAnswers: LargeAnswers;
  readonly yieldQueue: YieldQueue;
  /** Reads the text of a file with profiles. It keeps the last result, which many accounts may share. */
  readonly sectionsOf: ProfileOptions['sectionsOf'];
  /** For requests to STS. */
  readonly connections: ConnectionPools;
  readonly rateLimits: RateLimits;
  readonly routes: Routes;
  /** The present configuration of requests. */
  readonly api: () => ApiConfig;
}

export interface ProviderParts {
  /** Identifies the connections and the rate limit of the requests to STS. */
  readonly caller: string;
  /** The credentials that assume a role. */
  readonly source: CredentialsProvider;
  readonly record: SourceRecord;
}

/** At most so many requests of one source and operation in a second. STS allows more. */
export const stsRequestsPerSecond = 10;
/**
 * A clock that is wrong, and a source that has ended, each need one attempt more. A fetch that fails is repeated
 * later anyway.
 */
const stsMaxAttempts = 3;

export function createProvider(
  config: CredentialsConfig,
  parts: ProviderParts,
  options: ProviderOptions,
): CredentialsProvider {
  const { clock, env, fileCalls: calls, sectionsOf } = options;
  switch (config.type) {
    case 'none':
      return noCredentials;
    case 'environment': {
      const { secret_id_env: secretId, secret_key_env: secretKey, token_env: token } = config;
      return recorded(environmentCredentials(env, { secretId, secretKey, token }), parts.record);
    }
    case 'files': {
      const { secret_id_file: secretIdFile, secret_key_file: secretKeyFile } = config;
      const files = { secretIdFile, secretKeyFile, tokenFile: config.token_file };
      return recorded(fileCredentials(files, clock, calls), parts.record);
    }
    case 'profile': {
      const { profile, file } = config;
      const files = file === undefined ? usualProfileFiles(env['HOME']) : [file];
      const provider = profileCredentials({ profile, files, sectionsOf, clock, calls });
      return recorded(provider, parts.record);
    }
    case 'cvm_role': {
      const metadata = () => {
        const { metadataEndpoint: endpoint, timeoutMs } = options.api();
        return { endpoint, timeoutMs, secureContext: options.routes.secureContext };
      };
      return expiring(cvmRoleFetch(metadata, config.role, clock), parts.record, options);
    }
    case 'tke_oidc': {
      const client = stsClient({ ...parts, source: noCredentials }, options);
      const identity = { env, sessionName: config.session_name, calls };
      return expiring(tkeOidcFetch(identity, client), parts.record, options);
    }
    case 'assume_role': {
      const role = {
        roleArn: config.role_arn,
        externalId: config.external_id,
        sessionName: config.session_name,
        durationMs: config.duration,
      };
      const fetch = assumeRoleFetch(role, stsClient(parts, options));
      return expiring(fetch, parts.record, options);
    }
    case 'default':
      return defaultCredentials(parts, options);
  }
}

/** The sources of `default` in their order. */
const defaultSources = [
  { type: 'environment' },
  { type: 'profile', profile: 'default' },
  { type: 'tke_oidc', session_name: 'cvm-quota-monitor' },
] as const;

/** The types of credentials that can fail. */
export function failingTypes({ type }: CredentialsConfig): readonly CredentialsType[] {
  if (type === 'none') return [];
  return type === 'default' ? [...defaultSources.map((each) => each.type), 'cvm_role'] : [type];
}

function defaultCredentials(parts: ProviderParts, options: ProviderOptions): CredentialsProvider {
  const exists = existingSources(options.env, options.fileCalls);
  const candidates = defaultSources.map((config) => ({
    exists: exists[config.type],
    provider: createProvider(config, parts, options),
  }));
  return new DefaultCredentials(candidates, createProvider({ type: 'cvm_role' }, parts, options));
}

/** The same provider. Its failures are recorded. */
function recorded(provider: CredentialsProvider, record: SourceRecord): CredentialsProvider {
  const worked = (credentials: Credentials | null) => {
    record.worked();
    return credentials;
  };
  const failed = (error: unknown) => {
    record.failed(error);
    throw error;
  };
  return { ...provider, get: () => provider.get().then(worked, failed) };
}

function expiring(
  fetch: ExpiringOptions['fetch'],
  record: SourceRecord,
  { clock, random }: ProviderOptions,
): CredentialsProvider {
  return new ExpiringCredentials({
    fetch,
    clock,
    random,
    onFailed: (error) => {
      record.failed(error);
    },
    onFetched: () => {
      record.worked();
    },
  });
}

/** The client of STS that signs with the credentials of a source. */
function stsClient({ caller, source, record }: ProviderParts, options: ProviderOptions): StsClient {
  const { api, clock } = options;
  const observer = observerFor(record, options.observer);
  let last: { readonly api: ApiConfig; readonly options: ClientOptions } | null = null;
  const current = (): ClientOptions => {
    const present = api();
    if (last?.api !== present) {
      const { stsEndpoint: endpoint, timeoutMs } = present;
      const own = { account: caller, endpoint, timeoutMs, credentials: source, observer };
      const limits = { requestsPerSecond: stsRequestsPerSecond, maxAttempts: stsMaxAttempts };
      last = { api: present, options: { ...options, ...own, ...limits, signature: 'tc3' } };
    }
    return last.options;
  };
  const serviceClock = new ServiceClock();
  return {
    call: createRetryingCall(current, serviceClock),
    clock,
    correctionMs: () => serviceClock.correctionMs,
    maxRetryMs: () => api().timeoutMs,
  };
}

/**
 * Counts the requests of a source for the first account that uses it. Without such an account, they are not
 * counted: the name of the caller is a configuration, which may hold an external ID.
 */
function observerFor(record: SourceRecord, observer: ApiObserver): ApiObserver {
  const forFirst =
    <E extends { readonly account: string }>(tell: (event: E) => void) =>
    (event: E) => {
      const [account] = record.users;
      if (account !== undefined) tell({ ...event, account });
    };
  return {
    ...observer,
    requestFinished: forFirst((event) => {
      observer.requestFinished(event);
    }),
    retried: forFirst((event) => {
      observer.retried(event);
    }),
    clockCorrected: forFirst((event) => {
      observer.clockCorrected(event);
    }),
    rateLimitWaited: forFirst((event) => {
      observer.rateLimitWaited(event);
    }),
  };
}
