/** The request of DescribeAccountQuota. */
import type { Parameter } from '../../api/request.ts';
import { setNames, zonalQuotaTypes, type QuotaSelection } from './target.ts';

/** Maximum number of values per filter in the list operations of the service (docs/service.md, section 5). */
const maxFilterValues = 5;

/**
 * The filters of a request. They only reduce the work of the service. The selection is applied to the answer
 * in any case.
 *
 * - `quota-type`, if `image` is not selected: not all documentation allows the set of `image` as a value
 *   (docs/service.md, section 5.1).
 * - `zone`, if at most 5 zones are selected, and only types that are counted by zone: it is not published
 *   whether the filter would hide the sets of the whole region.
 */
export function quotaFilters({ quotaTypes: types, zones }: QuotaSelection): Parameter[] {
  const filters: { readonly name: string; readonly values: readonly string[] }[] = [];
  const onlyZonal = types.every((type) => zonalQuotaTypes.has(type));
  if (zones !== null && zones.length > 0 && zones.length <= maxFilterValues && onlyZonal) {
    filters.push({ name: 'zone', values: zones });
  }
  if (!types.includes('image')) {
    filters.push({ name: 'quota-type', values: types.map((type) => setNames[type]) });
  }
  return filters.flatMap(({ name, values }, index): Parameter[] => [
    [`Filters.${index}.Name`, name],
    ...values.map((value, at): Parameter => [`Filters.${index}.Values.${at}`, value]),
  ]);
}
