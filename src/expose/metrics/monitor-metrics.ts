/** The metrics of the daemon itself, kept with prom-client: cycles, requests, storage, process. */
import type { BuildInfo } from '../../model/build-info.ts';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { countedCode } from '../../model/record.ts';
import { noApiStatus, registerApiStatus, type ApiStatus } from './api-status-metrics.ts';
import { statusMetrics } from './status-metrics.ts';

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

interface ApiCall {
  readonly account: string;
  readonly operation: string;
}

/** An account's operation. */
interface CountedCall extends ApiCall {
  /** The error codes that have their own label. */
  readonly codes: Set<string>;
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
  readonly #requests;
  readonly #errors;
  readonly #retries;
  readonly #durations;
  readonly #waits;
  /** What has series. */
  readonly #counted = new Map<string, CountedCall>();
  /** The accounts whose requests are counted; `null` for every account. */
  #accounts: ReadonlySet<string> | null = null;

  constructor(
    build: BuildInfo,
    status: () => MonitorStatus,
    apiStatus: () => ApiStatus = () => noApiStatus,
  ) {
    const registers = [this.registry];
    const apiLabels = ['account', 'operation'] as const;
    this.#requests = new Counter({
      name: 'cvm_monitor_api_requests_total',
      help: 'Requests sent to the service, with retries.',
      labelNames: apiLabels,
      registers,
    });
    this.#errors = new Counter({
      name: 'cvm_monitor_api_request_errors_total',
      help: "Requests that failed, by the service's error code or a code of the monitor.",
      labelNames: [...apiLabels, 'code'],
      registers,
    });
    this.#retries = new Counter({
      name: 'cvm_monitor_api_retries_total',
      help: 'Requests that were tried again, by the code of the previous failure.',
      labelNames: [...apiLabels, 'code'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'cvm_monitor_api_request_duration_seconds',
      help: 'How long the service took to answer one request.',
      labelNames: ['operation'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.#waits = new Counter({
      name: 'cvm_monitor_rate_limit_wait_seconds_total',
      help: 'How long requests waited for the rate limit of the monitor.',
      labelNames: apiLabels,
      registers,
    });
    registerStatus(this.registry, status);
    registerApiStatus(this.registry, apiStatus);
    new Gauge({
      name: 'cvm_monitor_build_info',
      help: 'Always 1; the labels show what is running.',
      labelNames: ['version', 'revision', 'node_version'],
      registers,
    }).set({ ...build, node_version: process.version }, 1);

    collectDefaultMetrics({ register: this.registry });
    for (const name of misnamedDefaults) this.registry.removeSingleMetric(name);
  }

  /** Sets the counters of an account's operation to 0, so that `increase()` sees the first count. */
  expectRequests(call: ApiCall): void {
    const { account, operation } = this.#countedCall(call);
    this.#requests.inc({ account, operation }, 0);
    this.#waits.inc({ account, operation }, 0);
  }

  /** Removes the series of all other accounts. Their requests are no longer counted. */
  keepOnly(accounts: ReadonlySet<string>): void {
    this.#accounts = accounts;
    for (const [key, { account, operation, codes }] of this.#counted) {
      if (accounts.has(account)) continue;
      this.#counted.delete(key);
      for (const metric of [this.#requests, this.#waits]) metric.remove({ account, operation });
      for (const metric of [this.#errors, this.#retries]) {
        for (const code of codes) metric.remove({ account, operation, code });
      }
    }
  }

  /** A request ended; `code` is `null` when it succeeded. */
  requestFinished(call: ApiCall & { durationMs: number; code: string | null }): void {
    const { account, operation, durationMs, code } = call;
    this.#durations.observe({ operation }, durationMs / 1_000);
    if (this.#isGone(call)) return;
    const { codes } = this.#countedCall(call);
    this.#requests.inc({ account, operation });
    if (code !== null) this.#errors.inc({ account, operation, code: labelOf(code, codes) });
  }

  /** A request is tried again after it failed with `code`. */
  retried(call: ApiCall & { code: string }): void {
    if (this.#isGone(call)) return;
    const { account, operation, code } = call;
    const { codes } = this.#countedCall(call);
    this.#retries.inc({ account, operation, code: labelOf(code, codes) });
  }

  /** A request was delayed by the rate limit. */
  rateLimitWaited(call: ApiCall & { waitMs: number }): void {
    if (this.#isGone(call)) return;
    const { account, operation } = this.#countedCall(call);
    this.#waits.inc({ account, operation }, call.waitMs / 1_000);
  }

  /** Whether a reload has removed the account while its request was in flight. */
  #isGone({ account }: ApiCall): boolean {
    return this.#accounts?.has(account) === false;
  }

  #countedCall({ account, operation }: ApiCall): CountedCall {
    const key = `${account} ${operation}`;
    const counted = this.#counted.get(key) ?? { account, operation, codes: new Set() };
    this.#counted.set(key, counted);
    return counted;
  }
}

/** The label for a code, by the rule for records. */
function labelOf(code: string, known: Set<string>): string {
  const counted = countedCode(code, known);
  known.add(counted);
  return counted;
}

/** Metrics with values that other parts of the daemon keep. They are read at each exposition. */
function registerStatus(registry: Registry, status: () => MonitorStatus): void {
  const registers = [registry];
  const { counter, gauge } = statusMetrics(registry, status);

  new Counter({
    name: 'cvm_monitor_cycles_total',
    help: 'Cycles of an account that ran to their end.',
    labelNames: ['account'],
    registers,
    collect() {
      this.reset();
      for (const [account, { completed }] of status().cycles) this.inc({ account }, completed);
    },
  });
  new Counter({
    name: 'cvm_monitor_cycles_skipped_total',
    help: 'Cycles of an account that polled only some targets, because the previous cycle had not ended (overlap), or none, because the process was suspended, the clock was set forward, or no daemon of a cluster could run them (missed).',
    labelNames: ['account', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const [account, { skipped }] of status().cycles) {
        for (const [reason, count] of Object.entries(skipped)) this.inc({ account, reason }, count);
      }
    },
  });
  new Gauge({
    name: 'cvm_monitor_last_cycle_duration_seconds',
    help: 'How long the last cycle of an account took; absent before the first ended.',
    labelNames: ['account'],
    registers,
    collect() {
      this.reset();
      for (const [account, { lastDurationMs }] of status().cycles) {
        if (lastDurationMs !== null) this.set({ account }, lastDurationMs / 1_000);
      }
    },
  });
  new Gauge({
    name: 'cvm_monitor_regions_left_out',
    help: 'Regions that discovery found and that are not watched, because they do not offer an operation.',
    labelNames: ['account'],
    registers,
    collect() {
      this.reset();
      for (const [account, regions] of status().leftOut) this.set({ account }, regions.length);
    },
  });
  gauge(
    'cvm_monitor_next_cycle_timestamp_seconds',
    'When the schedule begins the next cycle, since the Unix epoch; jitter comes on top.',
    ({ nextCycleMs }) => (nextCycleMs === null ? null : nextCycleMs / 1_000),
  );
  counter(
    'cvm_monitor_state_write_failures_total',
    'Saves of records that failed.',
    ({ storage }) => storage.failures,
  );
  gauge(
    'cvm_monitor_state_unwritten_records',
    'Records whose last save failed; the next save of each tries again.',
    ({ storage }) => storage.unwritten,
  );
  counter(
    'cvm_monitor_state_damaged_files_total',
    'Stored records that could not be used; each was moved aside, and its target starts again.',
    ({ storage }) => storage.damaged,
  );
  gauge(
    'cvm_monitor_config_last_reload_successful',
    'Whether the last load of the configuration succeeded: 1 or 0.',
    ({ lastReloadSuccessful }) => (lastReloadSuccessful ? 1 : 0),
  );
  gauge(
    'cvm_monitor_config_last_reload_success_timestamp_seconds',
    'When the configuration was last loaded with success, since the Unix epoch.',
    ({ lastReloadSuccessMs }) => lastReloadSuccessMs / 1_000,
  );
  gauge(
    'cvm_monitor_web_config_last_reload_successful',
    'Whether the last reading of the web configuration succeeded: 1 or 0; absent without --web.config.file.',
    ({ webConfig }) => (webConfig === undefined ? null : Number(webConfig.lastReloadSuccessful)),
  );
  gauge(
    'cvm_monitor_web_config_last_reload_success_timestamp_seconds',
    'When a web configuration was last put in force, since the Unix epoch; absent without --web.config.file.',
    ({ webConfig }) => (webConfig === undefined ? null : webConfig.lastReloadSuccessMs / 1_000),
  );
}
