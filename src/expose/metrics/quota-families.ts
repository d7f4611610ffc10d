/**
 * The metrics of quotas. They are the same for every kind of target, so that one alert rule covers all
 * quotas.
 */
import type { QuotaSources } from '../../collectors/quota-report.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { Family, RecordView, Sample } from '../../model/metric-family.ts';
import type { LimitHistory } from '../../model/limit-history.ts';
import type { Quota } from '../../model/quota.ts';

export function quotaFamilies(collectors: CollectorSet): readonly Family[] {
  /** One sample for every quota that is known now. */
  const gauge =
    (valueOf: (quota: Quota) => number) =>
    ({ record, isFresh }: RecordView): Sample[] =>
      isFresh
        ? collectors
            .of(record.target)
            .quotas(record)
            .map((quota) => ({ labels: quotaLabels(quota), value: valueOf(quota) }))
        : [];

  /** Both severities, for every quota that is known now and has thresholds. */
  const thresholds = ({ record, isFresh, thresholdsOf }: RecordView): Sample[] =>
    isFresh
      ? collectors
          .of(record.target)
          .quotas(record)
          .flatMap((quota) => {
            const remaining = thresholdsOf(quota);
            if (remaining === null) return [];
            const labels = quotaLabels(quota);
            return [
              { labels: { ...labels, severity: 'warning' }, value: remaining.warning },
              { labels: { ...labels, severity: 'critical' }, value: remaining.critical },
            ];
          })
      : [];

  /**
   * Both directions, from 0, for every quota that is known to exist, also when the record is stale.
   */
  const limitChanges = ({ record }: RecordView): Sample[] =>
    collectors
      .of(record.target)
      .limits(record)
      .flatMap((history) => [
        { labels: { ...quotaLabels(history), direction: 'raised' }, value: history.raised },
        { labels: { ...quotaLabels(history), direction: 'lowered' }, value: history.lowered },
      ]);

  /** One sample for each direction that had a change. */
  const limitChangeTimes = ({ record }: RecordView): Sample[] =>
    collectors
      .of(record.target)
      .limits(record)
      .flatMap((history) => [
        ...limitChangeTime(history, 'raised', history.raisedAtMs),
        ...limitChangeTime(history, 'lowered', history.loweredAtMs),
      ]);

  const sources = (key: keyof QuotaSources) =>
    collectors.all.flatMap(({ quotaSources }) => quotaSources?.[key] ?? []).join('; ');

  return [
    {
      name: 'cvm_quota_used',
      type: 'gauge',
      help: `Quota in use: ${sources('used')}. From the last successful poll.`,
      samples: gauge(({ used }) => used),
    },
    {
      name: 'cvm_quota_remaining',
      type: 'gauge',
      help: `Quota that remains: ${sources('remaining')}. Negative where the quota is overdrawn. From the last successful poll.`,
      samples: gauge(({ remaining }) => remaining),
    },
    {
      name: 'cvm_quota_remaining_threshold',
      type: 'gauge',
      help: 'A quota has the severity when less than this remains: the thresholds of the configuration, a share as a count that is rounded up. Absent while the quota is muted, and for a limit of 0.',
      samples: thresholds,
    },
    {
      name: 'cvm_quota_limit',
      type: 'gauge',
      help: `The total quota: ${sources('limit')}. From the last successful poll.`,
      samples: gauge(({ limit }) => limit),
    },
    {
      name: 'cvm_quota_limit_changes_total',
      type: 'counter',
      help: `How often the limit (${sources('limitFields')}) differed from the previous successful poll.`,
      samples: limitChanges,
    },
    {
      name: 'cvm_quota_limit_change_timestamp_seconds',
      type: 'gauge',
      help: `When the last change of the limit (${sources('limitFields')}) was found, in seconds since the Unix epoch; absent before the first change.`,
      samples: limitChangeTimes,
    },
  ];
}

function limitChangeTime(history: LimitHistory, direction: string, atMs: number | null): Sample[] {
  return atMs === null
    ? []
    : [{ labels: { ...quotaLabels(history), direction }, value: atMs / 1_000 }];
}

function quotaLabels({ type, zone, unit }: Pick<Quota, 'type' | 'zone' | 'unit'>) {
  return { zone, quota_type: type, unit };
}
