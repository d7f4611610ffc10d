import type { QuotaType } from '../../resources/quotas.ts';

/** The names of the quota types at the service. They are also the values of the `quota-type` filter. */
export const setNames: Readonly<Record<QuotaType, string>> = {
  postpaid: 'PostPaidQuotaSet',
  prepaid: 'PrePaidQuotaSet',
  spotpaid: 'SpotPaidQuotaSet',
  disaster_recover_group: 'DisasterRecoverGroupQuotaSet',
  image: 'ImageQuotaSet',
};
