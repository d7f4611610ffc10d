/** The metrics of the requests to the service, and of the process. */
import { Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { families, type Sample } from '../../model/metric-family.ts';
import type { ApiStatus } from '../../model/monitor-status.ts';
import { countedCode } from '../../model/record.ts';
import { samplesIn, type ExpositionFormat, type Samples } from './text-format.ts';

type ApiCall = Readonly<Record<'account' | 'operation', string>>;

/** What is counted of the requests of an account for an operation; errors and retries by their code. */
const newCounts = ({ account, operation }: ApiCall) => ({
  labels: { account, operation },
  requests: 0,
  waitSeconds: 0,
  errors: new Map<string, number>(),
  retries: new Map<string, number>(),
});
type Counts = ReturnType<typeof newCounts>;

const keyOf = ({ account, operation }: ApiCall) => `${account} ${operation}`;

/**
 * Gauges of prom-client whose names end in `_total`, which is reserved for counters. The families of the
 * same name without `_total` hold their sums.
 */
const misnamedDefaults = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Counts the requests that are expected. Its methods are the observer of the API client. */
export class MonitorMetrics {
  readonly registry = new Registry();
  readonly #durations;
  readonly #apiStatus: () => ApiStatus;
  readonly #counts = new Map<string, Counts>();
  /** The codes of failures, of which there is a bounded number. */
  readonly #codes = new Set<string>();

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
  samples(): readonly Samples[] {
    const counts = [...this.#counts.values()];
    return [samplesIn(countFamilies, counts), samplesIn(apiFamilies, this.#apiStatus())];
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

  /** Shows the counters of an account's operation, from 0 on, so that `increase()` sees the first count. */
  expectRequests(call: ApiCall): void {
    const key = keyOf(call);
    if (!this.#counts.has(key)) this.#counts.set(key, newCounts(call));
  }

  /** Removes the series of all other accounts. Their requests are no longer counted. */
  keepOnly(accounts: ReadonlySet<string>): void {
    for (const [key, { labels }] of this.#counts) {
      if (!accounts.has(labels.account)) this.#counts.delete(key);
    }
  }

  /** A request ended; `code` is `null` when it succeeded. It waited `waitMs` for the rate limit. */
  requestFinished(
    call: ApiCall & { waitMs: number; durationMs: number; code: string | null },
  ): void {
    const { operation, durationMs, code, waitMs } = call;
    this.#durations.observe({ operation }, durationMs / 1_000);
    const counts = this.#counts.get(keyOf(call));
    if (counts === undefined) return;
    counts.requests += 1;
    counts.waitSeconds += waitMs / 1_000;
    if (code !== null) this.#count(counts.errors, code);
  }

  /** A request is tried again after it failed with `code`. */
  retried(call: ApiCall & { code: string }): void {
    const counts = this.#counts.get(keyOf(call));
    if (counts !== undefined) this.#count(counts.retries, call.code);
  }

  #count(byCode: Map<string, number>, code: string): void {
    const known = countedCode(code, this.#codes);
    this.#codes.add(known);
    byCode.set(known, (byCode.get(known) ?? 0) + 1);
  }
}

/** A sample for each code. */
function byCode({ labels }: Counts, counts: ReadonlyMap<string, number>): Sample[] {
  return [...counts].map(([code, value]) => ({ labels: { ...labels, code }, value }));
}

export const countFamilies = families<readonly Counts[]>({
  cvm_monitor_api_requests_total: [
    'Requests sent to the service, with retries.',
    (all) => all.map(({ labels, requests }) => ({ labels, value: requests })),
  ],
  cvm_monitor_api_request_errors_total: [
    "Requests that failed, by the service's error code or a code of the monitor.",
    (all) => all.flatMap((counts) => byCode(counts, counts.errors)),
  ],
  cvm_monitor_api_retries_total: [
    'Requests that were tried again, by the code of the previous failure.',
    (all) => all.flatMap((counts) => byCode(counts, counts.retries)),
  ],
  cvm_monitor_rate_limit_wait_seconds_total: [
    'How long requests waited for the rate limit of the monitor.',
    (all) => all.map(({ labels, waitSeconds }) => ({ labels, value: waitSeconds })),
  ],
});

/** The clients of the accounts: present rates, clocks, credentials. */
export const apiFamilies = families<ApiStatus>({
  cvm_monitor_rate_limit_requests_per_second: [
    'The present rate limit of the monitor: at most the configured one, lower while the service throttles.',
    ({ rates }) => rates,
  ],
  cvm_monitor_clock_skew_seconds: [
    "How far this machine's clock is ahead of the service's, by the Date header of its last answer; negative when it is behind.",
    ({ clockSkews }) => clockSkews,
  ],
  cvm_monitor_credentials_expiry_timestamp_seconds: [
    'When the temporary credentials of the account end, since the Unix epoch; absent for credentials that do not end.',
    ({ credentialsExpiries }) => credentialsExpiries,
  ],
  cvm_monitor_credentials_failures_total: [
    'How often credentials of the account could not be read or fetched, by their type; for a role, that of its source, too.',
    ({ credentialsFailures }) => credentialsFailures,
  ],
});
