/** The metrics of the polls: how fresh the data of each target is, and why polls fail. */
import {
  sampleOf,
  type Family,
  type MetricType,
  type RecordView,
  type Sample,
} from '../../model/metric-family.ts';
import type { TargetRecord } from '../../model/record.ts';

/** A family that a poll can change while the rest of the record stays the same. */
export interface FreshnessFamily extends Family {
  /** What its samples follow from, besides whether the record is fresh. While it is the same value, so are they. */
  readonly basis: (record: TargetRecord) => unknown;
}

const familyOf =
  (type: MetricType) =>
  <T>(
    name: string,
    help: string,
    basis: (record: TargetRecord) => T,
    samples: (basis: T, view: RecordView) => readonly Sample[],
  ): FreshnessFamily => ({
    name,
    type,
    help,
    basis,
    samples: (view) => samples(basis(view.record), view),
  });
const gauge = familyOf('gauge');
const counter = familyOf('counter');

function counts(label: string) {
  return (byLabel: Readonly<Record<string, number>>): Sample[] =>
    Object.entries(byLabel).map(([key, value]) => ({ labels: { [label]: key }, value }));
}

const seconds = (ms: number | null | undefined) =>
  sampleOf(ms === null || ms === undefined ? null : ms / 1_000);

export const freshnessFamilies: readonly FreshnessFamily[] = [
  gauge(
    'cvm_monitor_target_up',
    'Whether the last poll of the target succeeded and its answer is not stale: 1 or 0.',
    ({ seen }) => seen.freshness.failure,
    (_failure, { isUp }) => sampleOf(isUp ? 1 : 0),
  ),
  gauge(
    'cvm_monitor_target_last_poll_timestamp_seconds',
    'When the last poll of the target ended, in seconds since the Unix epoch; absent before the first one.',
    ({ seen }) => seen.freshness.lastPoll?.atMs,
    seconds,
  ),
  gauge(
    'cvm_monitor_target_last_success_timestamp_seconds',
    'When the last successful poll of the target ended, in seconds since the Unix epoch; absent before the first one.',
    ({ seen }) => seen.freshness.lastSuccessAtMs,
    seconds,
  ),
  gauge(
    'cvm_monitor_target_last_poll_duration_seconds',
    'Duration of the last poll of the target, with retries and the wait for the rate limit.',
    ({ seen }) => seen.freshness.lastPoll?.durationMs,
    seconds,
  ),
  gauge(
    'cvm_monitor_target_incomplete',
    'Whether the last answer was incomplete: 1 while a part could not be read, a configured part was missing, or there was no quota, else 0. Absent while no answer is fresh.',
    ({ seen }) => seen.snapshot,
    (snapshot, { isFresh }) =>
      sampleOf(isFresh && snapshot !== null ? Math.min(1, snapshot.missing.length) : null),
  ),
  counter(
    'cvm_monitor_polls_total',
    'Polls of the target that ended, in success or failure.',
    ({ seen }) => seen.freshness.polls,
    sampleOf,
  ),
  counter(
    'cvm_monitor_poll_failures_total',
    "Polls of the target that failed, by the service's error code or a code of the monitor: Timeout, NetworkError, HttpStatus, InvalidResponse, Credentials.",
    ({ seen }) => seen.freshness.failures,
    counts('code'),
  ),
  counter(
    'cvm_monitor_response_anomalies_total',
    'Invalid parts of otherwise valid answers. They were left out.',
    ({ seen }) => seen.freshness.anomalies,
    counts('kind'),
  ),
];
