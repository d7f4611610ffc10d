/** The metrics of the polls: how fresh the data of each target is, and why polls fail. */
import { families, samplesBy, seconds } from '../../model/metric-family.ts';
import { failureLabel } from '../../model/record.ts';
import { isUp, type EvaluatedRecord } from '../evaluated-record.ts';

export const freshnessFamilies = families<EvaluatedRecord>({
  cvm_monitor_target_up: [
    'Whether the last poll of the target succeeded and its answer is not stale: 1 or 0.',
    (evaluated) => Number(isUp(evaluated)),
  ],
  cvm_monitor_target_last_poll_timestamp_seconds: [
    'When the last poll of the target ended, in seconds since the Unix epoch; absent before the first one.',
    ({ record }) => seconds(record.observed.freshness.lastPoll?.atMs),
  ],
  cvm_monitor_target_last_success_timestamp_seconds: [
    'When the last successful poll of the target ended, in seconds since the Unix epoch; absent before the first one.',
    ({ record }) => seconds(record.observed.freshness.lastSuccessAtMs),
  ],
  cvm_monitor_target_failing_since_timestamp_seconds: [
    'When the first of the polls in a row ended that failed, in seconds since the Unix epoch, with the code of the last one; absent while the last poll succeeded.',
    ({ record: { observed } }) => {
      const { failure, failures } = observed.freshness;
      if (failure === null) return [];
      const code = failureLabel(failure.code, new Set(Object.keys(failures)));
      return [{ labels: { code }, value: failure.sinceMs / 1_000 }];
    },
  ],
  cvm_monitor_target_last_poll_duration_seconds: [
    'Duration of the last poll of the target, with retries and the wait for the rate limit.',
    ({ record }) => seconds(record.observed.freshness.lastPoll?.durationMs),
  ],
  cvm_monitor_target_incomplete: [
    'Whether the last answer was incomplete: 1 while a part could not be read, a configured part was missing, or there was no quota, else 0. Absent while no answer is fresh.',
    ({ isFresh, record: { observed } }) =>
      isFresh && observed.snapshot !== null ? Math.min(1, observed.snapshot.missing.length) : null,
  ],
  cvm_monitor_polls_total: [
    'Polls of the target that ended, in success or failure.',
    ({ record }) => record.observed.freshness.polls,
  ],
  cvm_monitor_poll_failures_total: [
    "Polls of the target that failed, by the service's error code or a code of the monitor: Timeout, NetworkError, HttpStatus, InvalidResponse, Credentials.",
    ({ record }) => samplesBy('code', Object.entries(record.observed.freshness.failures)),
  ],
  cvm_monitor_response_anomalies_total: [
    'Invalid parts of otherwise valid answers. They were left out.',
    ({ record }) => samplesBy('kind', Object.entries(record.observed.freshness.anomalies)),
  ],
});
