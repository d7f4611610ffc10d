/** The metrics of the requests to the service, and of the clients that send them. */
import { families, samplesBy } from '../../model/metric-family.ts';
import type { ApiStatus } from '../../model/monitor-status.ts';

export const apiFamilies = families<ApiStatus>({
  cvm_monitor_api_requests_total: [
    'Requests sent to the service, with retries.',
    ({ requests: all }) => all.map(({ labels, requests }) => ({ labels, value: requests })),
  ],
  cvm_monitor_api_request_errors_total: [
    "Requests that failed, by the service's error code or a code of the monitor.",
    ({ requests }) => requests.flatMap(({ errors, labels }) => samplesBy('code', errors, labels)),
  ],
  cvm_monitor_api_retries_total: [
    'Requests that were tried again, by the code of the previous failure.',
    ({ requests }) => requests.flatMap(({ labels, retries }) => samplesBy('code', retries, labels)),
  ],
  cvm_monitor_rate_limit_wait_seconds_total: [
    'How long requests waited for the rate limit of the monitor.',
    ({ requests }) => requests.map(({ labels, waitSeconds }) => ({ labels, value: waitSeconds })),
  ],
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
