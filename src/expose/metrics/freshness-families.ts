/** The metrics of the polls: how fresh the data of each target is, and why polls fail. */
import { sampleOf, type Family, type Sample } from '../../model/metric-family.ts';
import { countedCode } from '../../model/record.ts';

function counts(label: string, byLabel: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(byLabel).map(([key, value]) => ({ labels: { [label]: key }, value }));
}

const seconds = (ms: number | null | undefined) =>
  sampleOf(ms === null || ms === undefined ? null : ms / 1_000);

export const freshnessFamilies: readonly Family[] = [
  {
    name: 'cvm_monitor_target_up',
    type: 'gauge',
    help: 'Whether the last poll of the target succeeded and its answer is not stale: 1 or 0.',
    samples: ({ isUp }) => sampleOf(isUp ? 1 : 0),
  },
  {
    name: 'cvm_monitor_target_last_poll_timestamp_seconds',
    type: 'gauge',
    help: 'When the last poll of the target ended, in seconds since the Unix epoch; absent before the first one.',
    samples: ({ record }) => seconds(record.seen.freshness.lastPoll?.atMs),
  },
  {
    name: 'cvm_monitor_target_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'When the last successful poll of the target ended, in seconds since the Unix epoch; absent before the first one.',
    samples: ({ record }) => seconds(record.seen.freshness.lastSuccessAtMs),
  },
  {
    name: 'cvm_monitor_target_failing_since_timestamp_seconds',
    type: 'gauge',
    help: 'When the first of the polls in a row ended that failed, in seconds since the Unix epoch, with the code of the last one; absent while the last poll succeeded.',
    samples: ({ record: { seen } }) => {
      const { failure, failures } = seen.freshness;
      if (failure === null) return [];
      const code = countedCode(failure.code, new Set(Object.keys(failures)));
      return [{ labels: { code }, value: failure.sinceMs / 1_000 }];
    },
  },
  {
    name: 'cvm_monitor_target_last_poll_duration_seconds',
    type: 'gauge',
    help: 'Duration of the last poll of the target, with retries and the wait for the rate limit.',
    samples: ({ record }) => seconds(record.seen.freshness.lastPoll?.durationMs),
  },
  {
    name: 'cvm_monitor_target_incomplete',
    type: 'gauge',
    help: 'Whether the last answer was incomplete: 1 while a part could not be read, a configured part was missing, or there was no quota, else 0. Absent while no answer is fresh.',
    samples: ({
      isFresh,
      record: {
        seen: { snapshot },
      },
    }) => sampleOf(isFresh && snapshot !== null ? Math.min(1, snapshot.missing.length) : null),
  },
  {
    name: 'cvm_monitor_polls_total',
    type: 'counter',
    help: 'Polls of the target that ended, in success or failure.',
    samples: ({ record }) => sampleOf(record.seen.freshness.polls),
  },
  {
    name: 'cvm_monitor_poll_failures_total',
    type: 'counter',
    help: "Polls of the target that failed, by the service's error code or a code of the monitor: Timeout, NetworkError, HttpStatus, InvalidResponse, Credentials.",
    samples: ({ record }) => counts('code', record.seen.freshness.failures),
  },
  {
    name: 'cvm_monitor_response_anomalies_total',
    type: 'counter',
    help: 'Invalid parts of otherwise valid answers. They were left out.',
    samples: ({ record }) => counts('kind', record.seen.freshness.anomalies),
  },
];
