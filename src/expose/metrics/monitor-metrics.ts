/** The metrics of the daemon itself, kept with prom-client: cycles, requests, storage, process. */
import type { BuildInfo } from '../../model/build-info.ts';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { countedCode } from '../../model/record.ts';

/** What the daemon knows of itself; read at each exposition. All times are in milliseconds. */
export interface MonitorStatus {
  readonly cyclesCompleted: number;
  readonly cyclesSkipped: Readonly<Record<string, number>>;
  readonly lastCycleDurationMs: number | null;
  readonly nextCycleMs: number | null;
  readonly stateWriteFailures: number;
  readonly stateDamagedFiles: number;
  readonly lastReloadSuccessful: boolean;
  readonly lastReloadSuccessMs: number;
}

/** What the clients of the accounts know; read at each exposition. */
export interface ApiStatus {
  readonly rates: readonly (ApiCall & { readonly requestsPerSecond: number })[];
  /** How far the machine's clock is ahead of the service's, by account. */
  readonly clockSkewsMs: ReadonlyMap<string, number>;
}

interface ApiCall {
  readonly account: string;
  readonly operation: string;
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
  /** The codes that an account's operation has failed with and that have a label of their own. */
  readonly #codes = new Map<string, Set<string>>();

  constructor(
    build: BuildInfo,
    status: () => MonitorStatus,
    apiStatus: () => ApiStatus = () => ({ rates: [], clockSkewsMs: new Map() }),
  ) {
    const registers = [this.registry];
    const apiLabels = ['account', 'operation'] as const;
    this.#requests = new Counter({
      name: 'cvm_monitor_api_requests_total',
      help: 'Requests sent to the service, retries included.',
      labelNames: apiLabels,
      registers,
    });
    this.#errors = new Counter({
      name: 'cvm_monitor_api_request_errors_total',
      help: "Requests that failed, by the service's error code or one of the monitor's own.",
      labelNames: [...apiLabels, 'code'],
      registers,
    });
    this.#retries = new Counter({
      name: 'cvm_monitor_api_retries_total',
      help: 'Requests that were tried again, by the code of the failure before.',
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
      help: "How long requests waited for the monitor's own rate limit.",
      labelNames: apiLabels,
      registers,
    });
    registerStatus(this.registry, status);
    registerApiStatus(this.registry, apiStatus);
    new Gauge({
      name: 'cvm_monitor_build_info',
      help: 'Always 1; the labels say what is running.',
      labelNames: ['version', 'revision', 'node_version'],
      registers,
    }).set({ ...build, node_version: process.version }, 1);

    collectDefaultMetrics({ register: this.registry });
    for (const name of misnamedDefaults) this.registry.removeSingleMetric(name);
  }

  /** Sets the counters of an account's operation to 0, so that `increase()` sees the first count. */
  expectRequests({ account, operation }: ApiCall): void {
    this.#requests.inc({ account, operation }, 0);
    this.#waits.inc({ account, operation }, 0);
  }

  /** A request ended; `code` is `null` when it succeeded. */
  requestFinished(call: ApiCall & { durationMs: number; code: string | null }): void {
    const { account, operation, durationMs, code } = call;
    this.#requests.inc({ account, operation });
    this.#durations.observe({ operation }, durationMs / 1_000);
    if (code !== null) this.#errors.inc({ account, operation, code: this.#codeOf(call, code) });
  }

  /** A request is tried again after it failed with `code`. */
  retried(call: ApiCall & { code: string }): void {
    const { account, operation, code } = call;
    this.#retries.inc({ account, operation, code: this.#codeOf(call, code) });
  }

  /** A request was held back to keep the rate limit. */
  rateLimitWaited({ account, operation, waitMs }: ApiCall & { waitMs: number }): void {
    this.#waits.inc({ account, operation }, waitMs / 1_000);
  }

  /** The label for a code, by the rule for records. */
  #codeOf({ account, operation }: ApiCall, code: string): string {
    const key = `${account} ${operation}`;
    const known = this.#codes.get(key) ?? new Set();
    this.#codes.set(key, known);
    const counted = countedCode(code, known);
    known.add(counted);
    return counted;
  }
}

/** Metrics whose values the daemon holds elsewhere; each is read when it is exposed. */
function registerStatus(registry: Registry, status: () => MonitorStatus): void {
  const registers = [registry];
  const counter = (name: string, help: string, valueOf: (status: MonitorStatus) => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(valueOf(status()));
      },
    });
  const gauge = (name: string, help: string, valueOf: (status: MonitorStatus) => number | null) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const value = valueOf(status());
        if (value === null) this.remove();
        else this.set(value);
      },
    });

  counter(
    'cvm_monitor_cycles_total',
    'Cycles that ran to their end.',
    ({ cyclesCompleted }) => cyclesCompleted,
  );
  new Counter({
    name: 'cvm_monitor_cycles_skipped_total',
    help: 'Cycles that did not run for every target, as the one before still polled some (overlap), or did not run at all, as the process was suspended (missed).',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(status().cyclesSkipped)) {
        this.inc({ reason }, count);
      }
    },
  });
  gauge(
    'cvm_monitor_last_cycle_duration_seconds',
    'How long the last cycle took; absent before the first ended.',
    ({ lastCycleDurationMs }) =>
      lastCycleDurationMs === null ? null : lastCycleDurationMs / 1_000,
  );
  gauge(
    'cvm_monitor_next_cycle_timestamp_seconds',
    'When the schedule begins the next cycle, since the Unix epoch; jitter comes on top.',
    ({ nextCycleMs }) => (nextCycleMs === null ? null : nextCycleMs / 1_000),
  );
  counter(
    'cvm_monitor_state_write_failures_total',
    'Records that could not be stored; each is tried again.',
    ({ stateWriteFailures }) => stateWriteFailures,
  );
  counter(
    'cvm_monitor_state_damaged_files_total',
    'Stored records that could not be used; each was moved aside, and its target starts over.',
    ({ stateDamagedFiles }) => stateDamagedFiles,
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
}

function registerApiStatus(registry: Registry, status: () => ApiStatus): void {
  const registers = [registry];
  new Gauge({
    name: 'cvm_monitor_rate_limit_requests_per_second',
    help: "The monitor's own rate limit in force: at most the configured one, less while the service throttles.",
    labelNames: ['account', 'operation'],
    registers,
    collect() {
      this.reset();
      for (const { account, operation, requestsPerSecond } of status().rates) {
        this.set({ account, operation }, requestsPerSecond);
      }
    },
  });
  new Gauge({
    name: 'cvm_monitor_clock_skew_seconds',
    help: "How far this machine's clock is ahead of the service's, by the Date of its last answer; negative when it is behind.",
    labelNames: ['account'],
    registers,
    collect() {
      this.reset();
      for (const [account, skewMs] of status().clockSkewsMs) this.set({ account }, skewMs / 1_000);
    },
  });
}
