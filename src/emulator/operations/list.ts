/**
 * The operations that list rows of a region by IDs or by filters, page by page. Not published, so we chose: the
 * rows have the order of the IDs or that of the scenario, and an ID that no row has is left out, unless the operation has
 * a code for it.
 */
import type { z } from 'zod';
import {
  filtersOf,
  isGiven,
  refuseUnknown,
  stringsOf,
  type Filter,
  type FilterRules,
  type Parameters,
} from '../protocol/parameters.ts';
import { ServiceError, unknownFilterError } from '../protocol/service-error.ts';
import type { RowOverrides } from '../scenario/schema-parts.ts';
import { pageOf, withOverrides, type Operation, type RegionContext } from './operation.ts';

interface Row extends RowOverrides {
  readonly id: string;
  readonly tags?: Readonly<Record<string, string>>;
}

interface ListOperation<T extends Row> extends ListRules<T> {
  /** Reads the parameters that `more` names. */
  readonly rowsOf: (context: RegionContext, parameters: Parameters) => readonly T[];
  /** The field of the answer that has the rows. */
  readonly setName: string;
  readonly answerRow: (row: T, context: RegionContext) => Readonly<Record<string, unknown>>;
  /** For a Limit or Offset that is out of range. */
  readonly pageCode?: string;
}

export function listOperation<T extends Row>(list: ListOperation<T>): Operation {
  return (parameters, context) => {
    const rows = selectRows(list.rowsOf(context, parameters), parameters, list);
    const page = pageOf(rows, parameters, list.pageCode);
    const answered = page.map((row) => withOverrides(list.answerRow(row, context), row));
    return { TotalCount: rows.length, [list.setName]: answered };
  };
}

interface ListRules<T extends Row> {
  /** The parameter that lists IDs, and the schema of one. */
  readonly idsName: string;
  readonly id: z.ZodType<string>;
  /** Defaults to 100. */
  readonly maxIds?: number;
  /** The parameters besides IDs, Filters, Offset and Limit. */
  readonly more?: readonly string[];
  /** The field that each filter compares. One whose name begins with `vague-` looks for a part of the field. */
  readonly filters?: Readonly<Record<string, (row: T) => string>>;
  /** True when no filter looks at tags. */
  readonly isUntagged?: boolean;
  /** Where they differ from those of cvm. */
  readonly filterRules?: Partial<FilterRules>;
  readonly malformedIdCode: string;
  /** Defaults to `InvalidParameterValue.LimitExceeded`. */
  readonly tooManyIdsCode?: string;
  /** For an ID that no row has. */
  readonly unknownIdCode?: string | undefined;
  /** For IDs beside Filters. When absent, a row must match both. */
  readonly conflictCode?: string;
}

/** @throws ServiceError `UnknownParameter`, or with a code of the rules */
export function selectRows<T extends Row>(
  rows: readonly T[],
  parameters: Parameters,
  rules: ListRules<T>,
): readonly T[] {
  const { idsName, conflictCode, more = [] } = rules;
  refuseUnknown(parameters, [idsName, 'Filters', 'Offset', 'Limit', ...more]);
  const ids = stringsOf(parameters, idsName);
  const isConflict = ids !== null && isGiven(parameters, 'Filters') && conflictCode !== undefined;
  const conflict = `The parameters \`${idsName}.N\` and \`Filters.N\` cannot be given together.`;
  if (isConflict) throw new ServiceError(conflictCode, conflict);
  const named = ids === null ? rows : rowsOfIds(ids, rows, rules);
  const tests = filtersOf(parameters, rules.filterRules).map((filter) => filterTest(filter, rules));
  return named.filter((row) => tests.every((test) => test(row)));
}

function rowsOfIds<T extends Row>(
  ids: readonly string[],
  rows: readonly T[],
  { id: schema, maxIds = 100, malformedIdCode, unknownIdCode, ...codes }: ListRules<T>,
): readonly T[] {
  const { tooManyIdsCode = 'InvalidParameterValue.LimitExceeded' } = codes;
  if (ids.length > maxIds) throw new ServiceError(tooManyIdsCode);
  if (!ids.every((id) => schema.safeParse(id).success)) throw new ServiceError(malformedIdCode);
  return [...new Set(ids)].flatMap((id) => {
    const row = rows.find((candidate) => candidate.id === id);
    if (row !== undefined) return [row];
    if (unknownIdCode === undefined) return [];
    throw new ServiceError(unknownIdCode, `There is no \`${id}\`.`);
  });
}

/** The test of one filter: one matching value is enough. A row must pass the tests of all filters. */
function filterTest<T extends Row>(filter: Filter, rules: ListRules<T>): (row: T) => boolean {
  const { filters = {}, filterRules, isUntagged = false } = rules;
  const { name, values } = filter;
  const fieldOf = Object.hasOwn(filters, name) ? filters[name] : undefined;
  if (fieldOf !== undefined && name.startsWith('vague-')) {
    return (row) => values.some((value) => fieldOf(row).includes(value));
  }
  if (fieldOf !== undefined) return (row) => values.includes(fieldOf(row));
  const hasTag = isUntagged ? null : tagTest(filter);
  if (hasTag === null) throw unknownFilterError(name, filterRules?.unknownCode);
  return ({ tags = {} }) => hasTag(tags);
}

/** The test that a filter `tag-key`, `tag-value` or `tag:KEY` makes of tags. `null` for a filter of another name. */
function tagTest({ name, values }: Filter): ((tags: NonNullable<Row['tags']>) => boolean) | null {
  if (name === 'tag-key') return (tags) => Object.keys(tags).some((key) => values.includes(key));
  if (name === 'tag-value') {
    return (tags) => Object.values(tags).some((value) => values.includes(value));
  }
  if (!name.startsWith('tag:')) return null;
  const key = name.slice('tag:'.length);
  return (tags) => tags[key] !== undefined && values.includes(tags[key]);
}
