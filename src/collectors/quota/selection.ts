/** The types of account quotas, and which quotas of a region are watched. */
import { z } from 'zod';
import type { Parameter } from '../../api/request.ts';
import type { QuotaName } from '../../model/quota.ts';
import { text, type Stored } from '../../model/stored.ts';
import { filtersOf } from '../asking.ts';

export const quotaTypes = [
  'postpaid',
  'prepaid',
  'spotpaid',
  'disaster_recover_group',
  'image',
] as const;
/** A quota type of the monitor. Each one is a set of the service's AccountQuota. */
export type QuotaType = (typeof quotaTypes)[number];

/**
 * The set of each quota type at the service, its unit, and whether it is counted by zone (docs/service.md, section
 * 5). Spot quotas count vCPU cores.
 */
export const quotaSets = {
  postpaid: { name: 'PostPaidQuotaSet', unit: 'instances', isZonal: true },
  prepaid: { name: 'PrePaidQuotaSet', unit: 'instances', isZonal: true },
  spotpaid: { name: 'SpotPaidQuotaSet', unit: 'vcpus', isZonal: true },
  disaster_recover_group: { name: 'DisasterRecoverGroupQuotaSet', unit: 'groups', isZonal: false },
  image: { name: 'ImageQuotaSet', unit: 'images', isZonal: false },
} as const satisfies Record<QuotaType, object>;

/**
 * The watched part of the quotas of a region: types in the order of {@link quotaTypes}, and the zones of the types
 * that the service counts by zone. `null` for every zone.
 */
export const quotaSelection = z.object({
  quotaTypes: z.array(z.enum(quotaTypes)),
  zones: z.array(text).nullable(),
});
export type QuotaSelection = Stored<typeof quotaSelection>;

/** Whether a selection has a zone. `null` is the whole region, which is in every selection. */
export function isZoneSelected({ zones }: QuotaSelection, zone: string | null): boolean {
  return zone === null || (zones?.includes(zone) ?? true);
}

export function isQuotaSelected(selection: QuotaSelection, { type, zone }: QuotaName): boolean {
  return selection.quotaTypes.some((each) => each === type) && isZoneSelected(selection, zone);
}

/** Maximum number of values per filter in the list operations of the service (docs/service.md, section 5). */
const maxFilterValues = 5;

/**
 * The filters of a request. They only reduce the work of the service: the selection is applied to the answer too.
 *
 * - `quota-type`, if `image` is not selected: not all documentation allows the set of `image` as a value
 *   (docs/service.md, section 5.1).
 * - `zone`, if at most 5 zones are selected, and only types that are counted by zone: it is not published
 *   whether the filter would hide the sets of the whole region.
 */
export function selectionFilters({ quotaTypes: types, zones }: QuotaSelection): Parameter[] {
  const areZonal = types.every((type) => quotaSets[type].isZonal);
  const isZoneSent = areZonal && zones !== null && zones.length <= maxFilterValues;
  return filtersOf({
    ...(isZoneSent && { zone: zones }),
    ...(!types.includes('image') && { 'quota-type': types.map((type) => quotaSets[type].name) }),
  });
}
