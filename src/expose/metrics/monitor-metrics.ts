/** The metrics of the requests to the service, and of the process. */
import { Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { family, seconds, type FamilyOf } from '../../model/metric-family.ts';
import { countedCode } from '../../model/record.ts';
import { byAccount } from './status-families.ts';
import { textsOf, type ExpositionFormat, type FamilyText } from './text-format.ts';

/** The state of the clients of the accounts, read at each exposition. */
export interface ApiStatus {
  readonly rates: readonly {
    readonly account: string;
    readonly operation: string;
    readonly requestsPerSecond: number;
  }[];
  /** How far the machine's clock is ahead of the service's, by account. */
  readonly clockSkewsMs: ReadonlyMap<string, number>;
  /** When the present credentials end, by account. Without accounts whose credentials do not end. */
  readonly credentialsExpiriesMs: ReadonlyMap<string, number>;
  readonly credentialsFailures: readonly {
    readonly account: string;
    readonly type: string;
    readonly failures: number;
  }[];
}

type ApiCall = Readonly<Record<'account' | 'operation', string>>;

/** What is counted of an account's operation. */
interface Calls {
  readonly labels: ApiCall;
  requests: number;
  waitMs: number;
  /** By code. */
  readonly failures: Map<string, Failures>;
}

/** Failures with one code. */
interface Failures {
  errors: number;
  retries: number;
}

/**
 * Gauges of prom-client whose names end in `_total`, which is reserved for counters. The families of the
 * same name without `_total` hold their sums.
 */
const misnamedDefaults = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Counts the requests. Its methods are the observer of the API client. */
export class MonitorMetrics {
  readonly registry = new Registry();
  readonly #durations;
  readonly #calls = new Map<string, Calls>();
  readonly #apiStatus: () => ApiStatus;
  /** The accounts that are counted; all before they are known. */
  #accounts: ReadonlySet<string> | null = null;

  constructor(apiStatus: () => ApiStatus) {
    this.#apiStatus = apiStatus;
    this.#durations = new Histogram({
      name: 'cvm_monitor_api_request_duration_seconds',
      help: 'How long the service took to answer one request.',
      labelNames: ['operation'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [this.registry],
    });
    collectDefaultMetrics({ register: this.registry });
    for (const name of misnamedDefaults) this.registry.removeSingleMetric(name);
  }

  /** The samples of requests, and of the clients of the accounts. */
  texts(): readonly FamilyText[] {
    const calls = [...this.#calls.values()];
    return [...textsOf(callFamilies, calls), ...textsOf(apiFamilies, this.#apiStatus())];
  }

  /**
   * What prom-client measures: the durations of requests, and the process. Its own OpenMetrics rendering renames its
   * counters permanently, so it cannot serve one registry in both formats.
   */
  async registryText(format: ExpositionFormat): Promise<string> {
    const text = (await this.registry.metrics()).replaceAll('\n\n', '\n');
    if (format === 'prometheus') return text;
    return text.replaceAll(/^(# (?:HELP|TYPE) \w+)_total /gm, '$1 ');
  }

  /** Shows the counters of an account's operation as 0, so that `increase()` sees the first count. */
  expectRequests(call: ApiCall): void {
    this.#callsOf(call);
  }

  /** Removes the series of all other accounts. Their requests are no longer counted. */
  keepOnly(accounts: ReadonlySet<string>): void {
    this.#accounts = accounts;
    for (const [key, { labels }] of this.#calls) {
      if (!accounts.has(labels.account)) this.#calls.delete(key);
    }
  }

  /** A request ended; `code` is `null` when it succeeded. It waited `waitMs` for the rate limit. */
  requestFinished(
    call: ApiCall & { waitMs: number; durationMs: number; code: string | null },
  ): void {
    const { operation, durationMs, code, waitMs } = call;
    this.#durations.observe({ operation }, durationMs / 1_000);
    const calls = this.#callsOf(call);
    calls.requests += 1;
    calls.waitMs += waitMs;
    if (code !== null) failuresOf(calls, code).errors += 1;
  }

  /** A request is tried again after it failed with `code`. */
  retried(call: ApiCall & { code: string }): void {
    failuresOf(this.#callsOf(call), call.code).retries += 1;
  }

  /** Those of an account that a reload removed while its request was in flight are not kept. */
  #callsOf({ account, operation }: ApiCall): Calls {
    const key = `${account} ${operation}`;
    const labels = { account, operation };
    const calls = this.#calls.get(key) ?? { labels, requests: 0, waitMs: 0, failures: new Map() };
    if (this.#accounts?.has(account) !== false) this.#calls.set(key, calls);
    return calls;
  }
}

/** By the rule for records: an operation has a bounded number of codes. */
function failuresOf({ failures }: Calls, code: string): Failures {
  const label = countedCode(code, new Set(failures.keys()));
  const known = failures.get(label) ?? { errors: 0, retries: 0 };
  failures.set(label, known);
  return known;
}

/** Samples of what is counted of each operation. */
const ofCalls = (valueOf: (calls: Calls) => number) => (all: readonly Calls[]) =>
  all.map((calls) => ({ labels: calls.labels, value: valueOf(calls) }));

const byCode = (what: keyof Failures) => (all: readonly Calls[]) =>
  all.flatMap(({ failures, labels }) =>
    [...failures]
      .map(([code, counts]) => ({ labels: { ...labels, code }, value: counts[what] }))
      .filter(({ value }) => value > 0),
  );

export const callFamilies: readonly FamilyOf<readonly Calls[]>[] = [
  family(
    'cvm_monitor_api_requests_total',
    'Requests sent to the service, with retries.',
    ofCalls(({ requests }) => requests),
  ),
  family(
    'cvm_monitor_api_request_errors_total',
    "Requests that failed, by the service's error code or a code of the monitor.",
    byCode('errors'),
  ),
  family(
    'cvm_monitor_api_retries_total',
    'Requests that were tried again, by the code of the previous failure.',
    byCode('retries'),
  ),
  family(
    'cvm_monitor_rate_limit_wait_seconds_total',
    'How long requests waited for the rate limit of the monitor.',
    ofCalls(({ waitMs }) => waitMs / 1_000),
  ),
];

/** The clients of the accounts: present rates, clocks, credentials. */
export const apiFamilies: readonly FamilyOf<ApiStatus>[] = [
  family(
    'cvm_monitor_rate_limit_requests_per_second',
    'The present rate limit of the monitor: at most the configured one, lower while the service throttles.',
    ({ rates }) =>
      rates.map(({ account, operation, requestsPerSecond: value }) => ({
        labels: { account, operation },
        value,
      })),
  ),
  family(
    'cvm_monitor_clock_skew_seconds',
    "How far this machine's clock is ahead of the service's, by the Date header of its last answer; negative when it is behind.",
    ({ clockSkewsMs }) => byAccount(clockSkewsMs, seconds),
  ),
  family(
    'cvm_monitor_credentials_expiry_timestamp_seconds',
    'When the temporary credentials of the account end, since the Unix epoch; absent for credentials that do not end.',
    ({ credentialsExpiriesMs }) => byAccount(credentialsExpiriesMs, seconds),
  ),
  family(
    'cvm_monitor_credentials_failures_total',
    'How often credentials of the account could not be read or fetched, by their type; for a role, that of its source, too.',
    ({ credentialsFailures }) =>
      credentialsFailures.map(({ account, failures: value, type }) => ({
        labels: { account, type },
        value,
      })),
  ),
];
