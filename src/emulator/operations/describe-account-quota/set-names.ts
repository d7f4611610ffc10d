import type { QuotaType } from '../../resources/model.ts';

/** The service's names of the quota types, which are also the values of the `quota-type` filter. */
export const setNames: Readonly<Record<QuotaType, string>> = {
  postpaid: 'PostPaidQuotaSet',
  prepaid: 'PrePaidQuotaSet',
  spotpaid: 'SpotPaidQuotaSet',
  disaster_recover_group: 'DisasterRecoverGroupQuotaSet',
  image: 'ImageQuotaSet',
};
