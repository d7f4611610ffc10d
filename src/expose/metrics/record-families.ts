/**
 * The metrics of every record: of its polls, and of its quotas. They are the same for every kind of target, so that one
 * alert rule covers all targets or quotas. Metrics of one kind alone are in its collector. `record-samples.ts` takes the
 * samples.
 */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { QuotaSources } from '../../collectors/collector.ts';
import { samplesBy, seconds, type Sample } from '../../model/metric-family.ts';
import { quotaKey, type Quota, type QuotaName } from '../../model/quota.ts';
import type { QuotaHistory } from '../../model/quota-history.ts';
import { failureLabel } from '../../model/record.ts';
import { describedFamilies, type Families } from './described-families.ts';
import help from './help.json' with { type: 'json' };
import type { EvaluatedQuota, EvaluatedRecord } from '../evaluation.ts';

/** How fresh the data of a target is, and why its polls fail. */
export const freshnessFamilies: Families<EvaluatedRecord> = describedFamilies(help.freshness, {
  cvm_monitor_target_up: ({ isUp, state }) => (state === 'denied' ? null : Number(isUp)),
  cvm_monitor_target_last_poll_timestamp_seconds: ({ record }) =>
    seconds(record.observed.freshness.lastPoll?.atMs),
  cvm_monitor_target_last_success_timestamp_seconds: ({ record }) =>
    seconds(record.observed.freshness.lastSuccessAtMs),
  cvm_monitor_target_failing_since_timestamp_seconds: ({ record: { observed } }) => {
    const { failure, failures } = observed.freshness;
    if (failure === null) return [];
    const code = failureLabel(failure.code, new Set(Object.keys(failures)));
    return [{ labels: { code }, value: failure.sinceMs / 1_000 }];
  },
  cvm_monitor_target_last_poll_duration_seconds: ({ record }) =>
    seconds(record.observed.freshness.lastPoll?.durationMs),
  cvm_monitor_target_incomplete: ({ isFresh, record: { observed } }) =>
    isFresh && observed.snapshot !== null ? Math.min(1, observed.snapshot.missing.length) : null,
  cvm_monitor_polls_total: ({ record }) => record.observed.freshness.polls,
  cvm_monitor_poll_failures_total: ({ record }) =>
    samplesBy('code', Object.entries(record.observed.freshness.failures)),
  cvm_monitor_response_anomalies_total: ({ record }) =>
    samplesBy('kind', Object.entries(record.observed.freshness.anomalies)),
});

const severities = ['warning', 'critical'] as const;
const directions = ['raised', 'lowered'] as const;

/** A list of one sample. A value that is `null` or absent is left out of the exposition. */
function oneSample(
  { labels, type, unit, zone }: QuotaName & Pick<Quota, 'unit'>,
  value: number | null | undefined,
  more?: Sample['labels'],
) {
  return [{ labels: { ...labels, zone, quota_type: type, unit, ...more }, value }];
}
type OneSample = ReturnType<typeof oneSample>;

/** The samples of each quota of a fresh record. A stale record has none. */
function forFreshQuotas(samplesOf: (row: EvaluatedQuota) => OneSample) {
  return ({ isFresh, quotas }: EvaluatedRecord) => (isFresh ? quotas.flatMap(samplesOf) : []);
}

/**
 * The samples of a quota's counters, for each quota that the record remembers, also when the record is stale.
 *
 * @param samplesOf `isNamed`: the service is known to have the quota, or the last answer named it, be it in a set that was
 * readable only in part
 */
function forHistories(samplesOf: (history: QuotaHistory, isNamed: boolean) => OneSample) {
  return ({ quotas, record }: EvaluatedRecord) => {
    const keysInAnswer = new Set(quotas.map(({ quota }) => quotaKey(quota)));
    return record.durable.histories.flatMap((history) => {
      const isInAnswer = keysInAnswer.has(quotaKey(history));
      return samplesOf(history, history.isKnown || isInAnswer);
    });
  };
}

/** A sample for each direction in which a limit changes. None of a quota that disappeared. */
function forDirections(
  valueOf: (history: QuotaHistory, direction: (typeof directions)[number]) => number | null,
) {
  return forHistories((history, isNamed) =>
    (isNamed ? directions : []).flatMap((direction) =>
      oneSample(history, valueOf(history, direction), { direction }),
    ),
  );
}

/** The families of quotas. Their HELP texts name the fields of the service from which each kind of target takes the values. */
export function quotaFamilies(collectors: CollectorSet): Families<EvaluatedRecord> {
  const sources = (key: keyof QuotaSources) =>
    collectors.all.flatMap(({ quotaSources }) => quotaSources?.[key] ?? []).join('; ');
  return describedFamilies(
    help.quota,
    {
      cvm_quota_used: forFreshQuotas(({ quota }) => oneSample(quota, quota.used)),
      cvm_quota_remaining: forFreshQuotas(({ quota }) => oneSample(quota, quota.remaining)),
      cvm_quota_remaining_threshold: forFreshQuotas(({ quota, thresholds }) =>
        severities.flatMap((severity) => {
          const value = quota.remaining === null ? null : thresholds?.[severity];
          return oneSample(quota, value, { severity });
        }),
      ),
      cvm_quota_severity: ({ gone, lastKnown, quotas }) =>
        [...quotas, ...lastKnown, ...gone].flatMap(({ quota, severityLabels }) =>
          severityLabels === null ? [] : oneSample(quota, 1, { ...severityLabels }),
        ),
      cvm_quota_limit: forFreshQuotas(({ quota }) => oneSample(quota, quota.limit)),
      cvm_quota_limit_changes_total: forDirections((history, direction) => history[direction]),
      cvm_quota_limit_change_timestamp_seconds: forDirections((history, direction) =>
        seconds(history[`${direction}AtMs`]),
      ),
      // Also of quotas that disappeared: an alert needs the counter after the change.
      cvm_quota_disappeared_total: forHistories((history, isNamed) =>
        oneSample(history, isNamed || history.absence !== null ? history.disappeared : null),
      ),
      cvm_quota_disappeared_timestamp_seconds: forHistories((history) =>
        oneSample(history, seconds(history.absence?.disappearedAtMs)),
      ),
    },
    { used: sources('used'), remaining: sources('remaining'), limit: sources('limit') },
  );
}
