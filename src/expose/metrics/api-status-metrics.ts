/** The metrics of the clients of the accounts: present rates, clocks, credentials. */
import { Counter, Gauge, type Registry } from 'prom-client';

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

/** The state before there are clients. */
export const noApiStatus: ApiStatus = {
  rates: [],
  clockSkewsMs: new Map(),
  credentialsExpiriesMs: new Map(),
  credentialsFailures: [],
};

/** Registers metrics with values that the clients keep. They are read at each exposition. */
export function registerApiStatus(registry: Registry, status: () => ApiStatus): void {
  const registers = [registry];
  new Gauge({
    name: 'cvm_monitor_rate_limit_requests_per_second',
    help: 'The present rate limit of the monitor: at most the configured one, lower while the service throttles.',
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
    help: "How far this machine's clock is ahead of the service's, by the Date header of its last answer; negative when it is behind.",
    labelNames: ['account'],
    registers,
    collect() {
      this.reset();
      for (const [account, skewMs] of status().clockSkewsMs) this.set({ account }, skewMs / 1_000);
    },
  });
  new Gauge({
    name: 'cvm_monitor_credentials_expiry_timestamp_seconds',
    help: 'When the temporary credentials of the account end, since the Unix epoch; absent for credentials that do not end.',
    labelNames: ['account'],
    registers,
    collect() {
      this.reset();
      for (const [account, atMs] of status().credentialsExpiriesMs) {
        this.set({ account }, atMs / 1_000);
      }
    },
  });
  new Counter({
    name: 'cvm_monitor_credentials_failures_total',
    help: 'How often credentials of the account could not be read or fetched, by their type; for a role, that of its source, too.',
    labelNames: ['account', 'type'],
    registers,
    collect() {
      this.reset();
      for (const { account, type, failures } of status().credentialsFailures) {
        this.inc({ account, type }, failures);
      }
    },
  });
}
