import type { Target } from '../../model/target.ts';

export const quotaTypes = [
  'postpaid',
  'prepaid',
  'spotpaid',
  'disaster_recover_group',
  'image',
] as const;
/** A kind of quota, in our words; each is one set of the service's AccountQuota. */
export type QuotaType = (typeof quotaTypes)[number];

/** The service's name of the set of each quota type (docs/service.md, section 5.3). */
export const setNames = {
  postpaid: 'PostPaidQuotaSet',
  prepaid: 'PrePaidQuotaSet',
  spotpaid: 'SpotPaidQuotaSet',
  disaster_recover_group: 'DisasterRecoverGroupQuotaSet',
  image: 'ImageQuotaSet',
} as const;

/** The quota types that the service counts by zone; the others hold for a whole region. */
export const zonalQuotaTypes: ReadonlySet<QuotaType> = new Set<QuotaType>([
  'postpaid',
  'prepaid',
  'spotpaid',
]);

/** What a quota counts: the `unit` label. */
export type Unit = 'instances' | 'vcpus' | 'images' | 'groups';

/** The unit of each quota type (docs/service.md, section 5); spot quotas count vCPU cores. */
export const unitOf: Readonly<Record<QuotaType, Unit>> = {
  postpaid: 'instances',
  prepaid: 'instances',
  spotpaid: 'vcpus',
  image: 'images',
  disaster_recover_group: 'groups',
};

/** Which part of a region's quotas is watched. */
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
