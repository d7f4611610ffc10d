/**
 * The metrics of quotas. They are the same for every kind of target, so that one alert rule covers all
 * quotas.
 */
import type { QuotaSources } from '../../collectors/collector.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { family, seconds, type FamilyOf, type Sample } from '../../model/metric-family.ts';
import { quotaKey, type Quota, type QuotaHistory, type QuotaName } from '../../model/quota.ts';
import type { QuotaRow, Watched } from '../watched.ts';

export function quotaFamilies(collectors: CollectorSet): readonly FamilyOf<Watched>[] {
  const sources = (key: keyof QuotaSources) =>
    collectors.all.flatMap(({ quotaSources }) => quotaSources?.[key] ?? []).join('; ');
  return [
    family(
      'cvm_quota_used',
      `Quota in use: ${sources('used')}. From the last successful poll.`,
      ofPresent(({ quota }) => [sample(quota, quota.used)]),
    ),
    family(
      'cvm_quota_remaining',
      `Quota that remains: ${sources('remaining')}. Negative where the quota is overdrawn. From the last successful poll.`,
      ofPresent(({ quota }) => [sample(quota, quota.remaining)]),
    ),
    family(
      'cvm_quota_remaining_threshold',
      'A quota has the severity when less than this remains: the thresholds of the configuration, a share as a count that is rounded up. Absent while the quota is muted, and for a limit of 0.',
      ofPresent(({ quota, thresholds }) =>
        (['warning', 'critical'] as const).map((severity) => {
          const value = quota.remaining === null ? null : thresholds?.[severity];
          return sample(quota, value, { severity });
        }),
      ),
    ),
    family(
      'cvm_quota_limit',
      `The total quota: ${sources('limit')}. From the last successful poll.`,
      ofPresent(({ quota }) => [sample(quota, quota.limit)]),
    ),
    family(
      'cvm_quota_limit_changes_total',
      'How often the limit, the value of cvm_quota_limit, differed from the previous successful poll.',
      ofHistories(isPresent, (history) => [
        sample(history, history.raised, { direction: 'raised' }),
        sample(history, history.lowered, { direction: 'lowered' }),
      ]),
    ),
    family(
      'cvm_quota_limit_change_timestamp_seconds',
      'When the last change of the limit, the value of cvm_quota_limit, was found, in seconds since the Unix epoch; absent before the first change.',
      ofHistories(isPresent, (history) => [
        sample(history, seconds(history.raisedAtMs), { direction: 'raised' }),
        sample(history, seconds(history.loweredAtMs), { direction: 'lowered' }),
      ]),
    ),
    family(
      'cvm_quota_disappeared_total',
      'How often the quota was in no row of the answer in more than three successful polls in a row, although it was asked for.',
      // Also of quotas that disappeared: an alert needs the counter after the change.
      ofHistories(
        (history, read) => isPresent(history, read) || history.absence !== null,
        (history) => [sample(history, history.disappeared)],
      ),
    ),
    family(
      'cvm_quota_disappeared_timestamp_seconds',
      'When the quota disappeared, in seconds since the Unix epoch; absent while answers have it.',
      ofHistories(
        () => true,
        (history) => [sample(history, seconds(history.absence?.disappearedAtMs))],
      ),
    ),
  ];
}

/** `null` if the value is unknown. */
type PossibleSample = Sample | null;

function sample(
  { labels, type, unit, zone }: QuotaName & Pick<Quota, 'unit'>,
  value: number | null | undefined,
  more?: Sample['labels'],
): PossibleSample {
  if (value === null || value === undefined) return null;
  return { labels: { ...labels, zone, quota_type: type, unit, ...more }, value };
}

/** Samples of every quota that is known now. */
function ofPresent(samplesOf: (row: QuotaRow) => readonly PossibleSample[]) {
  return ({ isFresh, quotas }: Watched): readonly Sample[] =>
    isFresh ? quotas.flatMap(samplesOf).filter((each) => each !== null) : [];
}

/** Samples of what is remembered of quotas, also when the record is stale. */
function ofHistories(
  isShown: (history: QuotaHistory, read: ReadonlySet<string>) => boolean,
  samplesOf: (history: QuotaHistory) => readonly PossibleSample[],
) {
  return ({ quotas, record }: Watched): readonly Sample[] => {
    const read = new Set(quotas.map(({ quota }) => quotaKey(quota)));
    const shown = record.counted.histories.filter((history) => isShown(history, read));
    return shown.flatMap(samplesOf).filter((each) => each !== null);
  };
}

/** Whether a quota is known to exist, or the last answer has it. */
function isPresent(history: QuotaHistory, read: ReadonlySet<string>): boolean {
  return history.isKnown || read.has(quotaKey(history));
}
