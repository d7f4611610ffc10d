/** The rows of AccountQuota's sets. */
import type {
  GroupQuota,
  Quota,
  QuotaType,
  RegionalQuotaType,
  ZonalQuotaType,
  Zone,
} from '../../resources/quotas.ts';
import type { Region } from '../../resources/regions.ts';
import type { OperationContext } from '../operation.ts';
import type { Selection } from './selection.ts';

/** The rows of a set. `null` when a filter excludes the whole set. */
export function rowsOf(
  type: QuotaType,
  { zones }: Selection,
  { region, behaviour }: OperationContext,
) {
  if (type === 'image' || type === 'disaster_recover_group') {
    if (zones !== null && !behaviour.zoneFilterKeepsRegionalSets) return null;
    return regionalRows(type, region);
  }
  const rows: object[] = [];
  for (const zone of region.zones.values()) {
    const row = zones === null || zones.has(zone.name) ? zonalRow(type, zone) : null;
    if (row !== null) rows.push(row);
  }
  return rows;
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

function zonalRow(type: ZonalQuotaType, { name, quotas }: Zone) {
  const quota: Quota | null = quotas[type];
  if (quota === null) return null;
  return {
    UsedQuota: quota.used,
    RemainingQuota: Math.max(0, quota.limit - quota.used),
    TotalQuota: quota.limit,
    Zone: name,
    // JSON has no undefined fields.
    OnceQuota: type === 'prepaid' ? quotas.prepaid?.onceLimit : undefined,
  };
}
