/**
 * The metrics that only account quotas have, and the source of the common quota metrics, which are in
 * `expose/metrics/`.
 */
import type { Family, RecordView } from '../../model/metric-family.ts';
import type { QuotaSources } from '../quota-report.ts';
import type { QuotaRecord } from './record.ts';

export const quotaSources: QuotaSources = {
  used: 'UsedQuota (CurrentNum for disaster_recover_group) of DescribeAccountQuota. prepaid counts from the start of the month',
  remaining:
    'RemainingQuota of DescribeAccountQuota; limit less used for image and disaster_recover_group',
  limit: 'TotalQuota (GroupQuota for disaster_recover_group) of DescribeAccountQuota',
  limitFields: 'TotalQuota, GroupQuota of DescribeAccountQuota',
};

const asOf = 'From the last successful poll.';

const levels = ['host', 'switch', 'rack'] as const;

const freshSnapshot = ({ record, isFresh }: RecordView<QuotaRecord>) =>
  isFresh ? record.seen.snapshot : null;

export const quotaFamilies: readonly Family<QuotaRecord>[] = [
  {
    name: 'cvm_quota_once_limit',
    type: 'gauge',
    help: `The maximum of one purchase: OnceQuota of DescribeAccountQuota, prepaid only. ${asOf}`,
    samples: (view) =>
      (freshSnapshot(view)?.quotas ?? []).flatMap(({ type, zone, unit, onceLimit }) =>
        onceLimit === null ? [] : [{ labels: { zone, quota_type: type, unit }, value: onceLimit }],
      ),
  },
  {
    name: 'cvm_disaster_recover_group_instance_limit',
    type: 'gauge',
    help: `The maximum number of instances in one placement group of a level: CvmInHostGroupQuota, CvmInSwitchGroupQuota and CvmInRackGroupQuota of DescribeAccountQuota. ${asOf}`,
    samples: (view) => {
      const limits = freshSnapshot(view)?.groupInstanceLimits ?? null;
      return levels.flatMap((level) => {
        const value = limits?.[level] ?? null;
        return value === null ? [] : [{ labels: { level }, value }];
      });
    },
  },
  {
    name: 'cvm_account_info',
    type: 'gauge',
    help: `Always 1; app_id is AppId of DescribeAccountQuota, and the labels of the account come from the configuration. ${asOf}`,
    samples: (view) => {
      const appId = freshSnapshot(view)?.appId ?? null;
      return appId === null ? [] : [{ labels: { app_id: appId, ...view.accountLabels }, value: 1 }];
    },
  },
];
