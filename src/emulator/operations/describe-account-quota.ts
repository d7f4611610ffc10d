/**
 * DescribeAccountQuota (service.md, sections 2.3 and 4.2). Not published, and chosen: at most 10 filters
 * with 5 values each; what filters do to the sets they do not name is in behaviour.ts.
 */
import { filtersOf, refuseUnknown, type Filter } from '../parameters.ts';
import { ServiceError } from '../service-error.ts';
import {
  quotaTypes,
  type GroupQuota,
  type Quota,
  type QuotaType,
  type Region,
  type RegionalQuotaType,
  type ZonalQuotaType,
  type Zone,
} from '../resources/model.ts';
import type { Operation, OperationContext } from './operation.ts';

const maxFilters = 10;
const maxValuesPerFilter = 5;

/** The service's names of the quota types, which are also the values of the `quota-type` filter. */
const setNames: Readonly<Record<QuotaType, string>> = {
  postpaid: 'PostPaidQuotaSet',
  prepaid: 'PrePaidQuotaSet',
  spotpaid: 'SpotPaidQuotaSet',
  disaster_recover_group: 'DisasterRecoverGroupQuotaSet',
  image: 'ImageQuotaSet',
};

interface Selection {
  readonly types: ReadonlySet<QuotaType>;
  /** `null` for every zone. */
  readonly zones: ReadonlySet<string> | null;
}

export const describeAccountQuota: Operation = (parameters, context) => {
  refuseUnknown(parameters, ['Filters']);
  const { account, region, behaviour } = context;
  const selection = selectionOf(filtersOf(parameters), region);
  const sets: Record<string, readonly object[] | null> = {};
  for (const type of quotaTypes) {
    const rows = selection.types.has(type) ? rowsOf(type, selection, context) : null;
    if (rows !== null) sets[setNames[type]] = rows;
    else if (behaviour.unselected_quota_sets === 'null') sets[setNames[type]] = null;
    else if (behaviour.unselected_quota_sets === 'empty') sets[setNames[type]] = [];
  }
  return {
    AppId: account.appId,
    AccountQuotaOverview: { Region: region.name, AccountQuota: sets },
  };
};

/** Filters are ANDed, the values within one ORed. */
function selectionOf(filters: readonly Filter[], region: Region): Selection {
  if (filters.length > maxFilters) throw new ServiceError('InvalidFilterValue.LimitExceeded');
  const selection: { types: Selection['types']; zones: Selection['zones'] } = {
    types: new Set(quotaTypes),
    zones: null,
  };
  for (const { name, values } of filters) {
    const shown = name.slice(0, 100);
    if (values.length > maxValuesPerFilter) {
      throw new ServiceError('InvalidFilterValue.LimitExceeded');
    }
    if (values.length === 0) {
      throw new ServiceError('InvalidFilter', `The filter \`${shown}\` has no values.`);
    }
    if (name === 'quota-type') {
      selection.types = intersection(selection.types, values.map(quotaTypeOf));
    } else if (name === 'zone') {
      const zones = values.map((zone) => zoneOf(zone, region));
      selection.zones = intersection(selection.zones, zones);
    } else {
      throw new ServiceError('InvalidFilter', `The filter \`${shown}\` is not recognized.`);
    }
  }
  return selection;
}

/** @param before `null` for everything */
function intersection<T>(before: ReadonlySet<T> | null, values: readonly T[]): ReadonlySet<T> {
  return new Set(before === null ? values : values.filter((value) => before.has(value)));
}

function quotaTypeOf(value: string): QuotaType {
  const type = quotaTypes.find((candidate) => setNames[candidate] === value);
  if (type !== undefined) return type;
  throw new ServiceError(
    'InvalidParameterValue.Range',
    `The value \`${value.slice(0, 100)}\` of the filter \`quota-type\` is none of ${Object.values(setNames).join(', ')}.`,
  );
}

function zoneOf(value: string, region: Region): string {
  if (region.zones.has(value)) return value;
  const message = `The zone \`${value.slice(0, 100)}\` does not exist in ${region.name}.`;
  throw new ServiceError('InvalidZone.MismatchRegion', message);
}

/** The rows of a set, or `null` when a filter leaves the whole set out. */
function rowsOf(type: QuotaType, { zones }: Selection, { region, behaviour }: OperationContext) {
  if (type === 'image' || type === 'disaster_recover_group') {
    if (zones !== null && !behaviour.zone_filter_keeps_regional_sets) return null;
    return regionalRows(type, region);
  }
  return [...region.zones.values()]
    .filter((zone) => zones === null || zones.has(zone.name))
    .flatMap((zone) => zonalRows(type, zone));
}

function regionalRows(type: RegionalQuotaType, { quotas }: Region) {
  if (type === 'image') {
    return quotas.image === null
      ? []
      : [{ UsedQuota: quotas.image.used, TotalQuota: quotas.image.limit }];
  }
  const groups = quotas.disaster_recover_group;
  return groups === null ? [] : [groupRow(groups)];
}

function groupRow({ used, limit, instancesPerGroup }: GroupQuota) {
  return {
    CvmInRackGroupQuota: instancesPerGroup.rack,
    GroupQuota: limit,
    CvmInHostGroupQuota: instancesPerGroup.host,
    CurrentNum: used,
    CvmInSwitchGroupQuota: instancesPerGroup.switch,
  };
}

function zonalRows(type: ZonalQuotaType, { name, quotas }: Zone) {
  const quota: Quota | null = quotas[type];
  if (quota === null) return [];
  const row = {
    UsedQuota: quota.used,
    RemainingQuota: Math.max(0, quota.limit - quota.used),
    TotalQuota: quota.limit,
    Zone: name,
  };
  const isPrepaid = type === 'prepaid' && quotas.prepaid !== null;
  return [isPrepaid ? { ...row, OnceQuota: quotas.prepaid.onceLimit } : row];
}
