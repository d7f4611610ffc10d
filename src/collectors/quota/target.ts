import type { Target } from '../../model/target.ts';

export const quotaTypes = [
  'postpaid',
  'prepaid',
  'spotpaid',
  'disaster_recover_group',
  'image',
] as const;
/** A quota type of the monitor. Each one is a set of the service's AccountQuota. */
export type QuotaType = (typeof quotaTypes)[number];

/** The set name of each quota type at the service (docs/service.md, section 5.3). */
export const setNames = {
  postpaid: 'PostPaidQuotaSet',
  prepaid: 'PrePaidQuotaSet',
  spotpaid: 'SpotPaidQuotaSet',
  disaster_recover_group: 'DisasterRecoverGroupQuotaSet',
  image: 'ImageQuotaSet',
} as const;

/** The quota types that the service counts by zone. The others are counted by region. */
export const zonalQuotaTypes: ReadonlySet<QuotaType> = new Set<QuotaType>([
  'postpaid',
  'prepaid',
  'spotpaid',
]);

/** The counted unit of a quota: the `unit` label. */
export type Unit = 'instances' | 'vcpus' | 'images' | 'groups';

/** The unit of each quota type (docs/service.md, section 5). Spot quotas count vCPU cores. */
export const unitOf: Readonly<Record<QuotaType, Unit>> = {
  postpaid: 'instances',
  prepaid: 'instances',
  spotpaid: 'vcpus',
  image: 'images',
  disaster_recover_group: 'groups',
};

/** The watched part of the quotas of a region. */
export interface QuotaSelection {
  /** At least one; in the order of {@link quotaTypes}. */
  readonly quotaTypes: readonly QuotaType[];
  /** `null` for every zone; applies to the quota types that the service counts by zone. */
  readonly zones: readonly string[] | null;
}

export const quotaOperation = 'DescribeAccountQuota';

export interface QuotaTarget extends Target {
  readonly operation: typeof quotaOperation;
  readonly selection: QuotaSelection;
}
