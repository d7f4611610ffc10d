/**
 * DescribeAccountQuota (docs/service.md, sections 5.1 and 5.3). Not published, so we chose: at most 10 filters
 * with 5 values each. `behaviour` of the scenario says what filters do to sets that they do not name.
 */
import { filtersOf, refuseUnknown, type Filter } from '../protocol/parameters.ts';
import { check, ServiceError, unknownFilterError } from '../protocol/service-error.ts';
import type { Quota, Region, Zone } from '../scenario/region.ts';
import type { Behaviour } from '../scenario/scenario.ts';
import { quotaTypes, type ChargeType, type QuotaType } from '../scenario/vocabulary.ts';
import { withOverrides, type Operation, type RegionContext } from './operation.ts';
import { groupQuotaRow } from './regional-quotas.ts';

/** The names of the quota types at the service. They are also values of the filter `quota-type`. */
const setNames: Readonly<Record<QuotaType, string>> = {
  postpaid: 'PostPaidQuotaSet',
  prepaid: 'PrePaidQuotaSet',
  spotpaid: 'SpotPaidQuotaSet',
  disaster_recover_group: 'DisasterRecoverGroupQuotaSet',
  image: 'ImageQuotaSet',
};

export const describeAccountQuota: Operation = (parameters, context) => {
  const { account, region, behaviour, site } = context;
  if (site === 'international') throw new ServiceError('InvalidAction');
  refuseUnknown(parameters, ['Filters']);
  const selection = selectionOf(filtersOf(parameters), context);
  const unselected = { empty: [], absent: undefined, null: null }[behaviour.unselected_quota_sets];
  const sets: Record<string, unknown> = {};
  for (const type of quotaTypes) {
    const rows = selection.types.includes(type) ? rowsOfSet(type, selection, context) : null;
    sets[setNames[type]] = rows ?? unselected;
  }
  return {
    AppId: account.app_id,
    AccountQuotaOverview: { Region: region.name, AccountQuota: sets },
  };
};

/** The rows that the filters of a request select. */
interface Selection {
  readonly types: readonly QuotaType[];
  readonly zones: readonly Zone[];
  /** True when there is a filter `zone`. */
  readonly isByZone: boolean;
}

/**
 * A row must match every filter. One matching value of a filter is enough.
 *
 * @throws ServiceError for an unknown filter, set or zone
 */
function selectionOf(filters: readonly Filter[], { behaviour, region }: RegionContext): Selection {
  let types: Selection['types'] = quotaTypes;
  let { zones }: Pick<Selection, 'zones'> = region;
  for (const { name, values } of filters) {
    if (name === 'quota-type') {
      const named = values.map((value) => quotaTypeOf(value, behaviour));
      types = types.filter((type) => named.includes(type));
    } else if (name === 'zone') {
      for (const value of values) checkZone(value, region);
      zones = zones.filter((zone) => values.includes(zone.name));
    } else throw unknownFilterError(name);
  }
  return { types, zones, isByZone: filters.some(({ name }) => name === 'zone') };
}

function quotaTypeOf(value: string, { image_quota_type: images }: Behaviour): QuotaType {
  const allowed = quotaTypes.filter((type) => type !== 'image' || images === 'accepted');
  const type = allowed.find((candidate) => setNames[candidate] === value);
  const names = allowed.map((name) => setNames[name]).join(', ');
  const message = `\`${value.slice(0, 100)}\` is no value of the filter \`quota-type\`: ${names}.`;
  check(type !== undefined, 'InvalidParameterValue.Range', message);
  return type;
}

/** @throws ServiceError when the region has no such zone */
function checkZone(value: string, region: Region): void {
  const message = `The zone \`${value.slice(0, 100)}\` does not exist in ${region.name}.`;
  const exists = region.zones.some(({ name }) => name === value);
  check(exists, 'InvalidZone.MismatchRegion', message);
}

/** The rows of a set. `null` when a filter excludes the whole set. */
function rowsOfSet(
  type: QuotaType,
  { zones, isByZone }: Selection,
  { region, behaviour }: RegionContext,
) {
  if (type !== 'image' && type !== 'disaster_recover_group') {
    return zones.flatMap((zone) => zonalRows(type, zone, behaviour));
  }
  if (isByZone && !behaviour.zone_filter_keeps_regional_sets) return null;
  const { image, disaster_recover_group: groups } = region;
  if (type === 'image') {
    return image === undefined
      ? []
      : [withOverrides({ UsedQuota: image.used, TotalQuota: image.limit }, image)];
  }
  return groups === undefined ? [] : [withOverrides(groupQuotaRow(region), groups)];
}

function zonalRows(type: ChargeType, zone: Zone, { overdrawn_remaining: overdrawn }: Behaviour) {
  const quota: Quota | undefined = zone[type];
  if (quota === undefined) return [];
  const { used, limit } = quota;
  const row = {
    UsedQuota: used,
    RemainingQuota: overdrawn === 'zero' ? Math.max(0, limit - used) : limit - used,
    TotalQuota: limit,
    Zone: zone.name,
    ...(type === 'prepaid' && { OnceQuota: zone.prepaid?.once_limit ?? limit }),
  };
  return [withOverrides(row, quota)];
}
