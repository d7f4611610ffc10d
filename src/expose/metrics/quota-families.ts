/** The metrics of account quotas: what DescribeAccountQuota says (service.md, section 2.3). */
import type { LimitHistory, QuotaRecord } from '../../model/record.ts';
import { quotaKey, unitOf, type Quota } from '../../model/snapshot.ts';
import { quotaFamily, type Family, type RecordView, type Sample } from './family.ts';

const asOf = 'As of the last successful poll.';

const levels = ['host', 'switch', 'rack'] as const;

/** One sample for every quota that is known now and has the value. */
function quotaSamples(valueOf: (quota: Quota) => number | null) {
  return ({ record, isFresh }: RecordView<QuotaRecord>): Sample[] =>
    (isFresh ? (record.snapshot?.quotas ?? []) : []).flatMap((quota) => {
      const value = valueOf(quota);
      return value === null ? [] : [{ labels: quotaLabels(quota), value }];
    });
}

function quotaLabels({ type, zone }: Pick<Quota, 'type' | 'zone'>) {
  return { zone, quota_type: type, unit: unitOf[type] };
}

/** Both directions, from 0, for every quota of the snapshot; also when it is stale. */
function limitChangeSamples({ record }: RecordView<QuotaRecord>): Sample[] {
  const present = new Set(record.snapshot?.quotas.map(quotaKey));
  return record.limits
    .filter((history) => present.has(quotaKey(history)))
    .flatMap((history: LimitHistory) => [
      { labels: { ...quotaLabels(history), direction: 'raised' }, value: history.raised },
      { labels: { ...quotaLabels(history), direction: 'lowered' }, value: history.lowered },
    ]);
}

function groupInstanceLimitSamples({ record, isFresh }: RecordView<QuotaRecord>): Sample[] {
  const limits = isFresh ? (record.snapshot?.groupInstanceLimits ?? null) : null;
  if (limits === null) return [];
  return levels.flatMap((level) => {
    const value = limits[level];
    return value === null ? [] : [{ labels: { level }, value }];
  });
}

export const quotaFamilies: readonly Family[] = [
  quotaFamily(
    {
      name: 'cvm_quota_used',
      type: 'gauge',
      help: `Quota in use: UsedQuota (CurrentNum for disaster_recover_group) of DescribeAccountQuota. prepaid counts from the start of the month. ${asOf}`,
    },
    quotaSamples((quota) => quota.used),
  ),
  quotaFamily(
    {
      name: 'cvm_quota_remaining',
      type: 'gauge',
      help: `Quota left: RemainingQuota of DescribeAccountQuota; limit less used for image and disaster_recover_group. ${asOf}`,
    },
    quotaSamples((quota) => quota.remaining),
  ),
  quotaFamily(
    {
      name: 'cvm_quota_limit',
      type: 'gauge',
      help: `The quota itself: TotalQuota (GroupQuota for disaster_recover_group) of DescribeAccountQuota. ${asOf}`,
    },
    quotaSamples((quota) => quota.limit),
  ),
  quotaFamily(
    {
      name: 'cvm_quota_once_limit',
      type: 'gauge',
      help: `The most that one purchase may take: OnceQuota of DescribeAccountQuota, prepaid only. ${asOf}`,
    },
    quotaSamples((quota) => quota.onceLimit),
  ),
  quotaFamily(
    {
      name: 'cvm_disaster_recover_group_instance_limit',
      type: 'gauge',
      help: `The most instances in one placement group of a level: CvmInHostGroupQuota, CvmInSwitchGroupQuota and CvmInRackGroupQuota of DescribeAccountQuota. ${asOf}`,
    },
    groupInstanceLimitSamples,
  ),
  quotaFamily(
    {
      name: 'cvm_quota_limit_changes_total',
      type: 'counter',
      help: 'How often the limit (TotalQuota, GroupQuota of DescribeAccountQuota) differed from the successful poll before.',
    },
    limitChangeSamples,
  ),
  quotaFamily(
    {
      name: 'cvm_account_info',
      type: 'gauge',
      help: `Always 1; app_id is AppId of DescribeAccountQuota. ${asOf}`,
    },
    ({ record, isFresh }) => {
      const appId = isFresh ? (record.snapshot?.appId ?? null) : null;
      return appId === null ? [] : [{ labels: { app_id: appId }, value: 1 }];
    },
  ),
];
