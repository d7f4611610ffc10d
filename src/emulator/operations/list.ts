/**
 * The operations that list rows of a region by IDs or by filters, page by page: `lists.json` says their parameters, codes
 * and fields. Not published, so we chose: the rows have the order of the IDs or that of the scenario, and an ID that no
 * row has is left out, unless the operation has a code for it.
 */
import type { z } from 'zod';
import {
  parameterTypes,
  readParameters,
  refuseUnknown,
  type Filter,
  type ParameterTypes,
} from '../protocol/parameters.ts';
import { check, ServiceError, unknownFilterError } from '../protocol/service-error.ts';
import type { RowOverrides } from '../scenario/schema-parts.ts';
import lists from './lists.json' with { type: 'json' };
import {
  pageOf,
  withOverrides,
  type Operation,
  type RegionContext,
  type Row,
} from './operation.ts';

/** An object of the scenario that has a row: its keys, an ID, perhaps tags. */
type Element = RowOverrides & {
  readonly id: string;
  readonly tags?: Readonly<Record<string, string>>;
} & Row;

/**
 * An operation in `lists.json`:
 * - `set`: the field of the answer that has the rows
 * - `ids`, `maxIds`: the parameter that lists IDs, and how many it may list
 * - `more`: the parameters besides IDs, Filters, Offset and Limit
 * - `codes`: `unknownId` for an ID that no row has; `null`: it is left out. `conflict` for IDs beside Filters; `null`: a row
 *   must match both. `page` for a Limit or Offset that is out of range
 * - `filterRules`: what differs from the filters of cvm
 * - `hasTagFilters`: whether there are filters `tag-key`, `tag-value` and `tag:KEY`
 * - `filters`: the key of the scenario that each filter compares. For a filter `vague-…`, a part of the value is enough
 * - `fields`: the key of the scenario that each field has the value of
 * - `example`: the other fields of a complete row, and those of keys that are absent
 */
type ListTable = (typeof lists)[keyof typeof lists];

/** Reads a parameter by its name: `undefined` when it is absent, a ServiceError when it has another type. */
export interface ParameterReader {
  readonly text: (name: string) => string | undefined;
  readonly integer: (name: string) => number | undefined;
}

/** What an operation has besides its table in `lists.json`. */
interface ListFunctions<T extends Element> {
  /** The schema of an ID. */
  readonly id: z.ZodType<string>;
  /** The objects that can be listed. IDs and filters select among them. */
  readonly rowsOf: (context: RegionContext, read: ParameterReader) => readonly T[];
  /** The fields of a row that are not the value of a key of the scenario. */
  readonly computed: (row: T, context: RegionContext) => Row;
  /** The requested page of the selected rows, and more fields of the answer. By default a page by Offset and Limit. */
  readonly page?: (rows: readonly T[], read: ParameterReader) => readonly [readonly T[], Row];
}

/** Creates the operation that `lists.json` has under this name. The other files of this folder call it. */
export function listOperation<T extends Element>(
  name: keyof typeof lists,
  functions: ListFunctions<T>,
): Operation {
  const table: ListTable = lists[name];
  const { ids, more, codes, filterRules } = table;
  const schemasOf = ({ filters, integer, list, text }: ParameterTypes) => {
    const listSchemas = { ids: list(text).optional(), filters: filters(filterRules).optional() };
    return { ...listSchemas, text: text.optional(), integer: integer.optional() };
  };
  const schemas = { text: schemasOf(parameterTypes.text), json: schemasOf(parameterTypes.json) };
  return ({ form, values }, context) => {
    refuseUnknown(values, [ids, 'Filters', 'Offset', 'Limit', ...more]);
    const schema = schemas[form];
    const reader: ParameterReader = {
      text: (parameter) => readParameters(schema.text, values[parameter], [parameter]),
      integer: (parameter) => readParameters(schema.integer, values[parameter], [parameter]),
    };
    const listed = readParameters(schema.ids, values[ids], [ids]);
    const filters = readParameters(schema.filters, values['Filters'], ['Filters']);
    if (listed !== undefined && filters !== undefined && codes.conflict !== null) {
      throw new ServiceError(codes.conflict, 'IDs and filters exclude each other.');
    }
    const existing = functions.rowsOf(context, reader);
    const rows = listed === undefined ? existing : rowsOfIds(listed, existing, table, functions.id);
    const tests = (filters ?? []).map((filter) => filterTest(filter, table));
    const selected = rows.filter((row) => tests.every((test) => test(row)));
    const [page, moreFields] = functions.page?.(selected, reader) ?? [
      pageOf(selected, reader.integer('Offset'), reader.integer('Limit'), codes.page),
      {},
    ];
    const answered = page.map((row) =>
      withOverrides({ ...rowOf(row, table), ...functions.computed(row, context) }, row),
    );
    return { TotalCount: selected.length, [table.set]: answered, ...moreFields };
  };
}

/**
 * The rows of the IDs, in their order, each once.
 *
 * @param schema the schema of an ID
 * @throws ServiceError for too many IDs, one of another form, and an unknown one if the table has a code for it
 */
function rowsOfIds<T extends Element>(
  ids: readonly string[],
  rows: readonly T[],
  { codes, maxIds }: ListTable,
  schema: z.ZodType<string>,
): readonly T[] {
  check(ids.length <= maxIds, codes.tooManyIds);
  for (const id of ids) {
    check(id !== '', codes.emptyId);
    check(schema.safeParse(id).success, codes.malformedId);
  }
  return [...new Set(ids)].flatMap((id) => {
    const row = rows.find((candidate) => candidate.id === id);
    if (row !== undefined) return [row];
    if (codes.unknownId === null) return [];
    throw new ServiceError(codes.unknownId, `There is no \`${id}\`.`);
  });
}

/** The test of one filter: one matching value is enough. A row must pass the tests of all filters. */
function filterTest({ Name, Values }: Filter, table: ListTable): (row: Element) => boolean {
  const isPartEnough = Name.startsWith('vague-');
  const compared = comparedBy(Name, table);
  return (row) =>
    compared(row).some((found) =>
      Values.some((value) => (isPartEnough ? found.includes(value) : found === value)),
    );
}

/**
 * Returns the texts of a row that a filter compares with its values.
 *
 * @throws ServiceError when the operation has no such filter
 */
function comparedBy(
  name: string,
  { filters, hasTagFilters, codes }: ListTable,
): (row: Element) => readonly string[] {
  const key = new Map(Object.entries(filters)).get(name);
  if (key !== undefined) return (row) => [String(row[key])];
  const isTagFilter = hasTagFilters && /^tag(-key$|-value$|:)/.test(name);
  if (!isTagFilter) throw unknownFilterError(name, codes.unknownFilter);
  if (name === 'tag-key') return ({ tags = {} }) => Object.keys(tags);
  if (name === 'tag-value') return ({ tags = {} }) => Object.values(tags);
  return ({ tags = {} }) => [tags[name.slice('tag:'.length)] ?? []].flat();
}

/** The fields of a row that are not computed: the values of the scenario, over those of the example. */
function rowOf(element: Element, { fields, example }: ListTable): Row {
  const given = Object.entries(fields).filter(([, key]) => element[key] !== undefined);
  return { ...example, ...Object.fromEntries(given.map(([field, key]) => [field, element[key]])) };
}
