/** The metrics of the daemon itself, in a registry of prom-client: requests, cycles, storage, process. */
import type { BuildInfo } from '../../model/build-info.ts';
import { Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { countedCode } from '../../model/record.ts';
import { registerOn, type OwnSample, type RegisterMetric } from './status-metrics.ts';

/** The state of the daemon, read at each exposition. All times are in milliseconds. */
export interface MonitorStatus {
  /** The cycles of each account. */
  readonly cycles: ReadonlyMap<string, AccountCycles>;
  readonly nextCycleMs: number | null;
  readonly storage: {
    readonly failures: number;
    readonly damaged: number;
    readonly unwritten: number;
  };
  /** By account: regions that discovery found and that are not watched. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>;
  readonly lastReloadSuccessful: boolean;
  readonly lastReloadSuccessMs: number;
  /** Absent without a web configuration file. */
  readonly webConfig?: WebConfigStatus | undefined;
}

/** The cycles of an account since the start. All times are in milliseconds. */
export interface AccountCycles {
  readonly completed: number;
  /** By the reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly lastDurationMs: number | null;
  /** Since the Unix epoch. */
  readonly lastStartedAtMs: number | null;
}

/** The state of the web configuration. */
export interface WebConfigStatus {
  /** Whether its files could be used at their last reading. */
  readonly lastReloadSuccessful: boolean;
  readonly lastReloadSuccessMs: number;
}

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

interface ApiCall {
  readonly account: string;
  readonly operation: string;
}

/** What is counted of an account's operation. */
interface Calls {
  readonly labels: { readonly account: string; readonly operation: string };
  requests: number;
  waitMs: number;
  /** By code, which is a label. */
  readonly errors: Map<string, number>;
  readonly retries: Map<string, number>;
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

/** Registers the daemon's own metrics. Its methods are the observer of the API client. */
export class MonitorMetrics {
  readonly registry = new Registry();
  readonly #durations;
  readonly #calls = new Map<string, Calls>();
  /** The accounts that are counted; all before they are known. */
  #accounts: ReadonlySet<string> | null = null;

  constructor(build: BuildInfo, status: () => MonitorStatus, apiStatus?: () => ApiStatus) {
    const register = registerOn(this.registry);
    this.#durations = new Histogram({
      name: 'cvm_monitor_api_request_duration_seconds',
      help: 'How long the service took to answer one request.',
      labelNames: ['operation'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [this.registry],
    });
    registerCalls(register, () => [...this.#calls.values()]);
    registerStatus(register, status);
    registerApiStatus(register, apiStatus ?? (() => null));
    new Gauge({
      name: 'cvm_monitor_build_info',
      help: 'Always 1; the labels show what is running.',
      labelNames: ['version', 'revision', 'node_version'],
      registers: [this.registry],
    }).set({ ...build, node_version: process.version }, 1);

    collectDefaultMetrics({ register: this.registry });
    for (const name of misnamedDefaults) this.registry.removeSingleMetric(name);
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

  /** A request ended; `code` is `null` when it succeeded. */
  requestFinished(call: ApiCall & { durationMs: number; code: string | null }): void {
    const { operation, durationMs, code } = call;
    this.#durations.observe({ operation }, durationMs / 1_000);
    const calls = this.#callsOf(call);
    calls.requests += 1;
    if (code !== null) count(calls.errors, code, calls);
  }

  /** A request is tried again after it failed with `code`. */
  retried(call: ApiCall & { code: string }): void {
    const calls = this.#callsOf(call);
    count(calls.retries, call.code, calls);
  }

  /** A request was delayed by the rate limit. */
  rateLimitWaited(call: ApiCall & { waitMs: number }): void {
    this.#callsOf(call).waitMs += call.waitMs;
  }

  /** Those of an account that a reload removed while its request was in flight are not kept. */
  #callsOf({ account, operation }: ApiCall): Calls {
    const key = `${account} ${operation}`;
    const calls = this.#calls.get(key) ?? {
      labels: { account, operation },
      requests: 0,
      waitMs: 0,
      errors: new Map<string, number>(),
      retries: new Map<string, number>(),
    };
    if (this.#accounts?.has(account) !== false) this.#calls.set(key, calls);
    return calls;
  }
}

/** Counts a code, by the rule for records: an operation has a bounded number of them. */
function count(counts: Map<string, number>, code: string, { errors, retries }: Calls): void {
  const label = countedCode(code, new Set([...errors.keys(), ...retries.keys()]));
  counts.set(label, (counts.get(label) ?? 0) + 1);
}

function registerCalls(register: RegisterMetric, all: () => readonly Calls[]): void {
  const labelNames = ['account', 'operation'];
  const each = (valueOf: (calls: Calls) => number) => () =>
    all().map((calls) => ({ labels: calls.labels, value: valueOf(calls) }));
  const byCode = (countsOf: (calls: Calls) => ReadonlyMap<string, number>) => () =>
    all().flatMap((calls) =>
      [...countsOf(calls)].map(([code, value]) => ({ labels: { ...calls.labels, code }, value })),
    );
  register(
    'cvm_monitor_api_requests_total',
    'Requests sent to the service, with retries.',
    each(({ requests }) => requests),
    labelNames,
  );
  register(
    'cvm_monitor_api_request_errors_total',
    "Requests that failed, by the service's error code or a code of the monitor.",
    byCode(({ errors }) => errors),
    [...labelNames, 'code'],
  );
  register(
    'cvm_monitor_api_retries_total',
    'Requests that were tried again, by the code of the previous failure.',
    byCode(({ retries }) => retries),
    [...labelNames, 'code'],
  );
  register(
    'cvm_monitor_rate_limit_wait_seconds_total',
    'How long requests waited for the rate limit of the monitor.',
    each(({ waitMs }) => waitMs / 1_000),
    labelNames,
  );
}

/** One sample for each account that has a value. */
function byAccount<T>(
  values: ReadonlyMap<string, T> | undefined,
  valueOf: (value: T) => number | null,
): OwnSample[] {
  return [...(values ?? [])].flatMap(([account, each]) => {
    const value = valueOf(each);
    return value === null ? [] : [{ labels: { account }, value }];
  });
}

/** The state of the daemon. */
function registerStatus(register: RegisterMetric, status: () => MonitorStatus): void {
  register(
    'cvm_monitor_cycles_total',
    'Cycles of an account that ran to their end.',
    () => byAccount(status().cycles, ({ completed }) => completed),
    ['account'],
  );
  register(
    'cvm_monitor_cycles_skipped_total',
    'Cycles of an account that polled only some targets, because the previous cycle had not ended (overlap), or none, because the process was suspended, the clock was set forward, or no daemon of a cluster could run them (missed).',
    () =>
      [...status().cycles].flatMap(([account, { skipped }]) =>
        Object.entries(skipped).map(([reason, value]) => ({ labels: { account, reason }, value })),
      ),
    ['account', 'reason'],
  );
  register(
    'cvm_monitor_last_cycle_duration_seconds',
    'How long the last cycle of an account took; absent before the first ended.',
    () => byAccount(status().cycles, ({ lastDurationMs: ms }) => ms && ms / 1_000),
    ['account'],
  );
  register(
    'cvm_monitor_regions_left_out',
    'Regions that discovery found and that are not watched, because they do not offer an operation.',
    () => byAccount(status().leftOut, (regions) => regions.length),
    ['account'],
  );
  register(
    'cvm_monitor_next_cycle_timestamp_seconds',
    'When the schedule begins the next cycle, since the Unix epoch; jitter comes on top.',
    () => inSeconds(status().nextCycleMs),
  );
  register(
    'cvm_monitor_state_write_failures_total',
    'Saves of records that failed.',
    () => status().storage.failures,
  );
  register(
    'cvm_monitor_state_unwritten_records',
    'Records whose last save failed; the next save of each tries again.',
    () => status().storage.unwritten,
  );
  register(
    'cvm_monitor_state_damaged_files_total',
    'Stored records that could not be used; each was moved aside, and its target starts again.',
    () => status().storage.damaged,
  );
  register(
    'cvm_monitor_config_last_reload_successful',
    'Whether the last load of the configuration succeeded: 1 or 0.',
    () => Number(status().lastReloadSuccessful),
  );
  register(
    'cvm_monitor_config_last_reload_success_timestamp_seconds',
    'When the configuration was last loaded with success, since the Unix epoch.',
    () => inSeconds(status().lastReloadSuccessMs),
  );
  register(
    'cvm_monitor_web_config_last_reload_successful',
    'Whether the last reading of the web configuration succeeded: 1 or 0; absent without --web.config.file.',
    () => {
      const { webConfig } = status();
      return webConfig === undefined ? null : Number(webConfig.lastReloadSuccessful);
    },
  );
  register(
    'cvm_monitor_web_config_last_reload_success_timestamp_seconds',
    'When a web configuration was last put in force, since the Unix epoch; absent without --web.config.file.',
    () => inSeconds(status().webConfig?.lastReloadSuccessMs ?? null),
  );
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}

/** The clients of the accounts: present rates, clocks, credentials. There are none before a configuration is read. */
function registerApiStatus(register: RegisterMetric, status: () => ApiStatus | null): void {
  register(
    'cvm_monitor_rate_limit_requests_per_second',
    'The present rate limit of the monitor: at most the configured one, lower while the service throttles.',
    () =>
      (status()?.rates ?? []).map(({ account, operation, requestsPerSecond: value }) => ({
        labels: { account, operation },
        value,
      })),
    ['account', 'operation'],
  );
  register(
    'cvm_monitor_clock_skew_seconds',
    "How far this machine's clock is ahead of the service's, by the Date header of its last answer; negative when it is behind.",
    () => byAccount(status()?.clockSkewsMs, inSeconds),
    ['account'],
  );
  register(
    'cvm_monitor_credentials_expiry_timestamp_seconds',
    'When the temporary credentials of the account end, since the Unix epoch; absent for credentials that do not end.',
    () => byAccount(status()?.credentialsExpiriesMs, inSeconds),
    ['account'],
  );
  register(
    'cvm_monitor_credentials_failures_total',
    'How often credentials of the account could not be read or fetched, by their type; for a role, that of its source, too.',
    () =>
      (status()?.credentialsFailures ?? []).map(({ account, failures: value, type }) => ({
        labels: { account, type },
        value,
      })),
    ['account', 'type'],
  );
}
