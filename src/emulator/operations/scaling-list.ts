/**
 * The lists of as: rows are selected by IDs or by Filters, not by both. Not published, so we chose: an ID that the region
 * does not have is left out, and rows keep the order of the scenario.
 */
import {
  filtersOf,
  isGiven,
  refuseUnknown,
  stringsOf,
  type Filter,
  type Parameters,
} from '../protocol/parameters.ts';
import { ServiceError } from '../protocol/service-error.ts';
import { pageOf, tagTest } from './operation.ts';

const maxIds = 100;
const limitCode = 'InvalidParameterValue.LimitExceeded';

interface ListRules<T> {
  /** The parameter that lists IDs. */
  readonly idsName: string;
  readonly idPattern: RegExp;
  /** The parameters besides IDs, Filters and those of pages. */
  readonly more?: readonly string[];
  /** The test that a filter makes of a row with one of its values, by the name of the filter. */
  readonly filters: Readonly<Record<string, (row: T, value: string) => boolean>>;
  /** The tags that filters look at. Absent for rows without tags: then these filters are unknown. */
  readonly tagsOf?: (row: T) => Readonly<Record<string, string>>;
  readonly malformedIdCode: string;
  readonly tooManyIdsCode?: string;
  /** For a Limit or Offset that is out of range. */
  readonly pageCode?: string;
  /** For IDs beside Filters. */
  readonly conflictCode?: string;
  readonly incompleteFilterCode?: string;
}

/** @throws ServiceError with a code of the rules, or `InvalidParameterValue.InvalidFilter` */
export function scalingList<T extends { readonly id: string }>(
  rows: readonly T[],
  parameters: Parameters,
  rules: ListRules<T>,
): { readonly total: number; readonly page: readonly T[] } {
  const { idsName, more = [], pageCode = limitCode } = rules;
  refuseUnknown(parameters, [idsName, 'Filters', 'Offset', 'Limit', ...more]);
  const selected = selectRows(rows, parameters, rules);
  return { total: selected.length, page: pageOf(selected, parameters, pageCode) };
}

function selectRows<T extends { readonly id: string }>(
  rows: readonly T[],
  parameters: Parameters,
  rules: ListRules<T>,
): readonly T[] {
  const { tooManyIdsCode = limitCode, conflictCode = 'InvalidParameter.Conflict' } = rules;
  const ids = stringsOf(parameters, rules.idsName);
  if (ids === null) {
    const { incompleteFilterCode: incompleteCode = 'InvalidParameterValue.Filter' } = rules;
    const tooManyCode = 'LimitExceeded.FilterValuesTooLong';
    const codes = { tooManyCode, incompleteCode, notListCode: incompleteCode };
    return filtersOf(parameters, { maxValues: 5, ...codes }).reduce(
      (selected, filter) => selected.filter(filterTest(filter, rules)),
      rows,
    );
  }
  if (isGiven(parameters, 'Filters')) throw new ServiceError(conflictCode);
  if (ids.length > maxIds) throw new ServiceError(tooManyIdsCode);
  if (!ids.every((id) => rules.idPattern.test(id))) throw new ServiceError(rules.malformedIdCode);
  return rows.filter(({ id }) => ids.includes(id));
}

/** The test of one filter: one matching value is enough. A row must pass the tests of all filters. */
function filterTest<T>(filter: Filter, { filters, tagsOf }: ListRules<T>) {
  const { name, values } = filter;
  const test = Object.hasOwn(filters, name) ? filters[name] : undefined;
  if (test !== undefined) return (row: T) => values.some((value) => test(row, value));
  const hasTag = tagTest(filter);
  if (hasTag === null || tagsOf === undefined) {
    throw new ServiceError('InvalidParameterValue.InvalidFilter');
  }
  return (row: T) => hasTag(tagsOf(row));
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The filters by ID and name of a kind of rows, such as `auto-scaling-group`. */
export const filtersByName = (kind: string) => ({
  [`${kind}-id`]: ({ id }: Named, value: string) => id === value,
  [`${kind}-name`]: ({ name }: Named, value: string) => name === value,
  [`vague-${kind}-name`]: ({ name }: Named, value: string) => name.includes(value),
});
