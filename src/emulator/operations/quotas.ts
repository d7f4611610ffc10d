/**
 * DescribeAccountQuota (docs/service.md, sections 5.1 and 5.3), and the limits of custom images and of placement groups
 * alone: DescribeImageQuota and DescribeDisasterRecoverGroupQuota (section 16.3). Not published, so we chose: at most 10
 * filters with 5 values each, and 0 for a region without such quotas. `behaviour` of the scenario says what filters do to
 * sets that they do not name.
 */
import { check, ServiceError, unknownFilterError } from '../protocol/service-error.ts';
import type { Region, Zone } from '../scenario/region.ts';
import { chargeTypes } from '../scenario/vocabulary.ts';
import { operation, withOverrides, type Row } from './operation.ts';

/** The sets of quotas at the service. Their names are the values of the filter `quota-type`. */
const setNames = {
  postpaid: 'PostPaidQuotaSet',
  prepaid: 'PrePaidQuotaSet',
  spotpaid: 'SpotPaidQuotaSet',
  disaster_recover_group: 'DisasterRecoverGroupQuotaSet',
  image: 'ImageQuotaSet',
} as const;

export const describeAccountQuota = operation(
  ({ filters }) => ({ Filters: filters() }),
  ({ Filters = [] }, { account, region, behaviour, site }) => {
    if (site === 'international') throw new ServiceError('InvalidAction');
    for (const { Name, Values } of Filters) {
      for (const value of Values) checkValue(Name, value, region);
    }
    // A row must match every filter. One matching value of a filter is enough.
    const isSelected = (filter: string, value: string) =>
      Filters.every(({ Name, Values }) => Name !== filter || Values.includes(value));
    const isByZone = Filters.some(({ Name }) => Name === 'zone');
    const hasRegional = behaviour.zone_filter_keeps_regional_sets || !isByZone;
    const rows = quotaRows(region).filter(({ zone }) =>
      zone === null ? hasRegional : isSelected('zone', zone),
    );
    const unselected = { empty: [], absent: undefined, null: null }[
      behaviour.unselected_quota_sets
    ];
    const sets = Object.values(setNames).map((name) => {
      const ofSet = rows.filter(({ set }) => set === name).map(({ row }) => row);
      return [name, isSelected('quota-type', name) ? ofSet : unselected] as const;
    });
    return {
      AppId: account.app_id,
      AccountQuotaOverview: { Region: region.name, AccountQuota: Object.fromEntries(sets) },
    };
  },
);

/** @throws ServiceError for an unknown filter, set or zone */
function checkValue(filter: string, value: string, region: Region): void {
  const given = `\`${value.slice(0, 100)}\``;
  if (filter === 'zone') {
    const message = `The zone ${given} does not exist in ${region.name}.`;
    const exists = region.zones.some(({ name }) => name === value);
    check(exists, 'InvalidZone.MismatchRegion', message);
  } else if (filter === 'quota-type') {
    const names: readonly string[] = Object.values(setNames);
    const message = `${given} is no value of the filter \`quota-type\`: ${names.join(', ')}.`;
    check(names.includes(value), 'InvalidParameterValue.Range', message);
  } else throw unknownFilterError(filter);
}

/** The rows of all sets. `zone` is `null` for a quota of the whole region. */
function quotaRows(region: Region) {
  const { image, disaster_recover_group: groups } = region;
  const images = image && { UsedQuota: image.used, TotalQuota: image.limit };
  const ofRegion = [
    images && { set: setNames.image, row: withOverrides(images, image) },
    groups && { set: setNames.disaster_recover_group, row: groupQuotaRow(groups) },
  ];
  const regional = ofRegion.filter((each) => each !== undefined);
  return [...region.zones.flatMap(zonalRows), ...regional.map((each) => ({ ...each, zone: null }))];
}

function zonalRows(zone: Zone) {
  return chargeTypes.flatMap((type) => {
    const { [type]: quota, name } = zone;
    if (quota === undefined) return [];
    const { used, limit } = quota;
    const row = {
      UsedQuota: used,
      RemainingQuota: limit - used,
      TotalQuota: limit,
      Zone: name,
      ...(type === 'prepaid' && { OnceQuota: zone.prepaid?.once_limit ?? limit }),
    };
    return [{ set: setNames[type], zone: name, row: withOverrides(row, quota) }];
  });
}

export const describeImageQuota = operation(
  () => ({}),
  (_given, { region: { image } }) =>
    withOverrides({ ImageNumQuota: image?.limit ?? 0 }, image ?? {}),
);

export const describeDisasterRecoverGroupQuota = operation(
  () => ({}),
  (_given, { region }) => {
    const quota = region.disaster_recover_group;
    // The service has both names for the switch.
    return groupQuotaRow(quota, { CvmInSwGroupQuota: quota?.instances_per_group.switch ?? 0 });
  },
);

/** The quota of placement groups, with more fields: 0 for a region without it. */
function groupQuotaRow(quota: Region['disaster_recover_group'], more: Row = {}) {
  const most = quota?.instances_per_group;
  const row = {
    ...more,
    CvmInRackGroupQuota: most?.rack ?? 0,
    GroupQuota: quota?.limit ?? 0,
    CvmInHostGroupQuota: most?.host ?? 0,
    CurrentNum: quota?.used ?? 0,
    CvmInSwitchGroupQuota: most?.switch ?? 0,
  };
  return withOverrides(row, quota ?? {});
}
