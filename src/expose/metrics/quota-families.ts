/**
 * The metrics of quotas. They are the same for every kind of target, so that one alert rule covers all
 * quotas.
 */
import type { QuotaSources } from '../../collectors/collector.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { Family, RecordView, Sample } from '../../model/metric-family.ts';
import type { QuotaHistory } from '../../model/quota-history.ts';
import { quotaKey, type Quota, type QuotaName } from '../../model/quota.ts';
import type { TargetRecord } from '../../model/record.ts';

export function quotaFamilies(collectors: CollectorSet): readonly Family[] {
  /** One sample for every quota that is known now. */
  const gauge =
    (valueOf: (quota: Quota) => number | null) =>
    ({ record, isFresh }: RecordView): Sample[] =>
      isFresh
        ? collectors
            .of(record.target)
            .quotas(record)
            .flatMap((quota) => {
              const value = valueOf(quota);
              return value === null ? [] : [{ labels: quotaLabels(quota), value }];
            })
        : [];

  /** Both severities, for every quota that is known now and has thresholds. */
  const thresholds = ({ record, isFresh, thresholdsOf }: RecordView): Sample[] =>
    isFresh
      ? collectors
          .of(record.target)
          .quotas(record)
          .flatMap((quota) => {
            const remaining = quota.remaining === null ? null : thresholdsOf(quota);
            if (remaining === null) return [];
            const labels = quotaLabels(quota);
            return [
              { labels: { ...labels, severity: 'warning' }, value: remaining.warning },
              { labels: { ...labels, severity: 'critical' }, value: remaining.critical },
            ];
          })
      : [];

  /** Of every quota that is known to exist, or that the last answer has. */
  const presentHistories = (record: TargetRecord) => {
    const collector = collectors.of(record.target);
    const read = new Set(collector.quotas(record).map(quotaKey));
    return collector
      .histories(record)
      .filter((history) => history.isKnown || read.has(quotaKey(history)));
  };

  /** Both directions, from 0, also when the record is stale. */
  const limitChanges = ({ record }: RecordView): Sample[] =>
    presentHistories(record).flatMap((history) => [
      { labels: { ...quotaLabels(history), direction: 'raised' }, value: history.raised },
      { labels: { ...quotaLabels(history), direction: 'lowered' }, value: history.lowered },
    ]);

  /** One sample for each direction that had a change. */
  const limitChangeTimes = ({ record }: RecordView): Sample[] =>
    presentHistories(record).flatMap((history) => [
      ...limitChangeTime(history, 'raised', history.raisedAtMs),
      ...limitChangeTime(history, 'lowered', history.loweredAtMs),
    ]);

  /** Also of quotas that disappeared: an alert needs the counter after the change. */
  const disappearances = ({ record }: RecordView): Sample[] =>
    collectors
      .of(record.target)
      .histories(record)
      .filter((history) => history.isKnown || history.disappeared > 0)
      .map((history) => ({ labels: quotaLabels(history), value: history.disappeared }));

  /** Of every quota that disappeared and has not returned. */
  const disappearanceTimes = ({ record }: RecordView): Sample[] =>
    collectors
      .of(record.target)
      .histories(record)
      .flatMap((history) => {
        const atMs = history.absence?.disappearedAtMs ?? null;
        return atMs === null ? [] : [{ labels: quotaLabels(history), value: atMs / 1_000 }];
      });

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
    {
      name: 'cvm_quota_disappeared_total',
      type: 'counter',
      help: 'How often the quota was in no row of the answer in more than three successful polls in a row, although it was asked for.',
      samples: disappearances,
    },
    {
      name: 'cvm_quota_disappeared_timestamp_seconds',
      type: 'gauge',
      help: 'When the quota disappeared, in seconds since the Unix epoch; absent while answers have it.',
      samples: disappearanceTimes,
    },
  ];
}

function limitChangeTime(history: QuotaHistory, direction: string, atMs: number | null): Sample[] {
  return atMs === null
    ? []
    : [{ labels: { ...quotaLabels(history), direction }, value: atMs / 1_000 }];
}

function quotaLabels({ type, zone, unit, labels }: QuotaName & Pick<Quota, 'unit'>) {
  return { ...labels, zone, quota_type: type, unit };
}
