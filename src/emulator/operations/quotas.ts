/**
 * DescribeAccountQuota (docs/service.md, sections 5.1 and 5.3), and the limits of custom images and of placement groups
 * alone: DescribeImageQuota and DescribeDisasterRecoverGroupQuota (section 16.3). Not published, so we chose: at most 10
 * filters with 5 values each, and 0 for a region without such quotas. `behaviour` of the scenario says what filters do to
 * sets that they do not name.
 */
import { check, ServiceError, unknownFilterError } from '../protocol/service-error.ts';
import type { Region, Zone } from '../scenario/region.ts';
import type { ChargeType } from '../scenario/vocabulary.ts';
import { operation, withOverrides, withoutParameters, type Row } from './operation.ts';

/** The rows of each set by its name. The filter `quota-type` selects sets by these names. */
const sets: Readonly<Record<string, (region: Region) => readonly Row[]>> = {
  PostPaidQuotaSet: ({ zones }) => zonalRows(zones, 'postpaid'),
  PrePaidQuotaSet: ({ zones }) => zonalRows(zones, 'prepaid'),
  SpotPaidQuotaSet: ({ zones }) => zonalRows(zones, 'spotpaid'),
  DisasterRecoverGroupQuotaSet: ({ disaster_recover_group: groups }) =>
    groups === undefined ? [] : [groupQuotaRow(groups)],
  ImageQuotaSet: ({ image }) =>
    image === undefined
      ? []
      : [withOverrides({ UsedQuota: image.used, TotalQuota: image.limit }, image)],
};

export const describeAccountQuota = operation(
  ({ filters }) => ({ Filters: filters() }),
  ({ Filters = [] }, { account, region, settings: { behaviour, site } }) => {
    if (site === 'international') throw new ServiceError('InvalidAction');
    for (const { Name, Values } of Filters) {
      for (const value of Values) checkValue(Name, value, region);
    }
    // A row must match every filter of this name. One matching value of a filter is enough.
    const isSelected = (filter: string, value: string) =>
      Filters.every(({ Name, Values }) => Name !== filter || Values.includes(value));
    const isByZone = Filters.some(({ Name }) => Name === 'zone');
    const hasRegional = behaviour.zone_filter_keeps_regional_sets || !isByZone;
    const selected = {
      ...region,
      image: hasRegional ? region.image : undefined,
      disaster_recover_group: hasRegional ? region.disaster_recover_group : undefined,
      zones: region.zones.filter(({ name }) => isSelected('zone', name)),
    };
    const unselectedSets = { empty: [], absent: undefined, null: null };
    const unselected = unselectedSets[behaviour.unselected_quota_sets];
    const AccountQuota = Object.fromEntries(
      Object.entries(sets).map(([name, rowsOf]) => {
        return [name, isSelected('quota-type', name) ? rowsOf(selected) : unselected];
      }),
    );
    return { AppId: account.app_id, AccountQuotaOverview: { Region: region.name, AccountQuota } };
  },
);

/** @throws ServiceError for an unknown filter, set or zone */
function checkValue(filter: string, value: string, region: Region): void {
  if (filter === 'zone') {
    const message = `The zone \`${value.slice(0, 100)}\` does not exist in ${region.name}.`;
    const exists = region.zones.some(({ name }) => name === value);
    check(exists, 'InvalidZone.MismatchRegion', message);
  } else if (filter === 'quota-type') {
    check(Object.hasOwn(sets, value), 'InvalidParameterValue.Range');
  } else throw unknownFilterError(filter);
}

/** A row for each zone that has a quota of this type. */
function zonalRows(zones: readonly Zone[], type: ChargeType): readonly Row[] {
  return zones.flatMap(({ name, [type]: quota, prepaid }) => {
    if (quota === undefined) return [];
    const { used, limit } = quota;
    const row = {
      UsedQuota: used,
      RemainingQuota: limit - used,
      TotalQuota: limit,
      Zone: name,
      ...(type === 'prepaid' && { OnceQuota: prepaid?.once_limit ?? limit }),
    };
    return [withOverrides(row, quota)];
  });
}

export const describeImageQuota = withoutParameters(({ region: { image } }) =>
  withOverrides({ ImageNumQuota: image?.limit ?? 0 }, image),
);

export const describeDisasterRecoverGroupQuota = withoutParameters(({ region }) => {
  const quota = region.disaster_recover_group;
  // The service has both names for the switch.
  return groupQuotaRow(quota, { CvmInSwGroupQuota: quota?.instances_per_group.switch ?? 0 });
});

/** The quota of placement groups as a row, with more fields. Every number is 0 for a region without the quota. */
function groupQuotaRow(quota: Region['disaster_recover_group'], more: Row = {}) {
  const perGroup = quota?.instances_per_group;
  const row = {
    ...more,
    CvmInRackGroupQuota: perGroup?.rack ?? 0,
    GroupQuota: quota?.limit ?? 0,
    CvmInHostGroupQuota: perGroup?.host ?? 0,
    CurrentNum: quota?.used ?? 0,
    CvmInSwitchGroupQuota: perGroup?.switch ?? 0,
  };
  return withOverrides(row, quota);
}
