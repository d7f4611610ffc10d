/** A quota in words, for page and terminal. */
import { figure, percent } from './number-format.ts';
import { isOverdrawn } from './severity.ts';
import { resourceOf, type QuotaRow } from './watched.ts';

/** What people call the quota types of the service. Any other type is shown by its name alone. */
const plainNames: ReadonlyMap<string, string> = new Map([
  ['postpaid', 'pay-as-you-go instances'],
  ['prepaid', 'monthly instances'],
  ['spotpaid', 'spot vCPUs'],
  ['disaster_recover_group', 'placement groups'],
  ['image', 'custom images'],
  ['launch_template_versions', 'template versions'],
  ['subnet_addresses', 'subnet addresses'],
]);

/** The plain name of a quota type; the type itself if it has none. */
export function plainName(type: string): string {
  return plainNames.get(type) ?? type;
}

/** The zone, which usually begins with the name of its region. For a quota without a zone, the region. */
export function whereOf({ quota, watched }: QuotaRow): string {
  const { region } = watched.record.target;
  if (quota.zone === null) return region;
  return quota.zone.startsWith(region) ? quota.zone : `${region} ${quota.zone}`;
}

/** The remaining share, such as `12 %`. A dash if it is unknown or there is no limit. */
export function shareText({ quota, remainingShare }: QuotaRow): string {
  if (remainingShare === null || quota.remaining === null) return '–';
  return percent(quota.remaining, quota.limit);
}

/** The resource that the quota limits, such as a subnet. Empty for a quota of the account. */
export function resourceText(row: QuotaRow): string {
  return Object.values(resourceOf(row)).join(' ');
}

/** `4 of 199 vcpus left (2 %)`. */
export function leftText(row: QuotaRow): string {
  const { limit, remaining, unit, used } = row.quota;
  if (isOverdrawn(row.quota)) {
    return `overdrawn, ${figure(used)} of ${figure(limit)} ${unit} in use`;
  }
  if (remaining === null) return `limit ${figure(limit)} ${unit}, use unknown`;
  if (limit === 0) return `no ${unit} allowed`;
  return `${figure(remaining)} of ${figure(limit)} ${unit} left (${shareText(row)})`;
}
