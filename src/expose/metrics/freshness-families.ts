/** The metrics of the polls themselves: how fresh each target's figures are, and why they are not. */
import type { Freshness } from '../../model/record.ts';
import { targetFamily, type Family, type RecordView, type Sample } from './family.ts';

/** One sample when `value` is known. */
function sample(value: number | null | undefined): Sample[] {
  return value === null || value === undefined ? [] : [{ labels: {}, value }];
}

function counts(
  label: string,
  countsOf: (freshness: Freshness) => Readonly<Record<string, number>>,
) {
  return ({ record }: RecordView): Sample[] =>
    Object.entries(countsOf(record.freshness)).map(([key, value]) => ({
      labels: { [label]: key },
      value,
    }));
}

const seconds = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? null : ms / 1_000;

export const freshnessFamilies: readonly Family[] = [
  targetFamily(
    {
      name: 'cvm_monitor_target_up',
      type: 'gauge',
      help: 'Whether the last poll of the target succeeded and its answer is not stale: 1 or 0.',
    },
    ({ isUp }) => sample(isUp ? 1 : 0),
  ),
  targetFamily(
    {
      name: 'cvm_monitor_target_last_poll_timestamp_seconds',
      type: 'gauge',
      help: 'When the last poll of the target ended, since the Unix epoch; absent before the first.',
    },
    ({ record }) => sample(seconds(record.freshness.lastPoll?.atMs)),
  ),
  targetFamily(
    {
      name: 'cvm_monitor_target_last_success_timestamp_seconds',
      type: 'gauge',
      help: 'When the last successful poll of the target ended, since the Unix epoch; absent before the first.',
    },
    ({ record }) => sample(seconds(record.freshness.lastSuccessAtMs)),
  ),
  targetFamily(
    {
      name: 'cvm_monitor_target_last_poll_duration_seconds',
      type: 'gauge',
      help: 'How long the last poll of the target took, waiting for the rate limit and retries included.',
    },
    ({ record }) => sample(seconds(record.freshness.lastPoll?.durationMs)),
  ),
  targetFamily(
    {
      name: 'cvm_monitor_polls_total',
      type: 'counter',
      help: 'Polls of the target that ended, in success or failure.',
    },
    ({ record }) => sample(record.freshness.polls),
  ),
  targetFamily(
    {
      name: 'cvm_monitor_poll_failures_total',
      type: 'counter',
      help: "Polls of the target that failed, by the service's error code or one of the monitor's own: Timeout, NetworkError, HttpStatus, InvalidResponse, Credentials.",
    },
    counts('code', (freshness) => freshness.failures),
  ),
  targetFamily(
    {
      name: 'cvm_monitor_response_anomalies_total',
      type: 'counter',
      help: 'Parts of otherwise good answers that were left out because they cannot be right.',
    },
    counts('kind', (freshness) => freshness.anomalies),
  ),
];
