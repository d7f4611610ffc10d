/** What selects launch templates or scaling groups of a list: their names and tags. */
import { z } from 'zod';
import { filtersOf, type Parameter } from '../api/request.ts';
import { printable, quoted } from '../api/response.ts';
import type { Anomaly } from '../model/poll-outcome.ts';
import { text, type Stored } from '../model/stored.ts';
import type { selectionKeys } from './keys.ts';

/** Which of the listed templates or scaling groups are watched. */
export const selectionSchema = z.object({
  /** Patterns, of which a name must match one. `null` for every name. */
  names: z.array(text).nullable(),
  /** Tags that are needed, all of them. */
  tags: z.record(text, text),
});
export type Selection = Stored<typeof selectionSchema>;

const maxNameLength = 128;

/**
 * Divides the rows of a list by their names, which are printable then. `null` is a name that cannot be read.
 *
 * @param rows whose names in the list are their IDs
 * @param noun what the list lists
 * @returns `missing`: a note if nothing matches. A row without a readable name is an anomaly if names are selected
 */
export function selectRows<Row extends { readonly name: string | null }>(
  selection: Selection,
  rows: readonly { readonly name: string; readonly row: Row }[],
  noun: string,
) {
  const rowsOf = (isWanted: boolean | null) =>
    rows
      .filter(({ row }) => isSelected(selection, row.name) === isWanted)
      .map(({ name: id, row }) => ({ id, row, name: printable(row.name ?? '', maxNameLength) }));
  const selected = rowsOf(true);
  const wanted = selectionText(selection);
  return {
    selected,
    others: rowsOf(false),
    missing: selected.length === 0 && wanted !== '' ? [`no ${noun} matches ${wanted}`] : [],
    anomalies: rowsOf(null).map(({ id }): Anomaly => {
      return { kind: 'invalid-row', detail: `${quoted(id, 64)}: no name` };
    }),
  };
}

/** The selection of a key of the configuration. */
export function selectionOf(key: 'all' | z.output<typeof selectionKeys>): Selection {
  const { names = null, tags = {} } = key === 'all' ? {} : key;
  return { names, tags };
}

/** The parameters that select by tags. The service has no patterns for names, so names are compared with the answer. */
export function tagFilters({ tags }: Selection): Parameter[] {
  const filters = Object.entries(tags).map(([key, value]) => [`tag:${key}`, [value]] as const);
  return filtersOf(Object.fromEntries(filters));
}

/** Such as `names batch-*, tags env=prod`. Empty for every template. */
export function selectionText({ names, tags }: Selection): string {
  const pairs = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  return [
    ...(names === null ? [] : [`names ${names.join(', ')}`]),
    ...(pairs.length === 0 ? [] : [`tags ${pairs.join(', ')}`]),
  ].join(', ');
}

/** Whether a name is selected. `null` when that is unknown, because the name is. */
function isSelected({ names }: Selection, name: string | null): boolean | null {
  if (names === null) return true;
  return name === null ? null : names.some((pattern) => matches(name, pattern));
}

/**
 * Whether a pattern matches a name; `*` matches any text. It finds each part at its first place, because a regular
 * expression could take a time that grows exponentially with the number of `*`.
 */
function matches(name: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let end = first.length;
  for (const part of parts) {
    const at = name.indexOf(part, end);
    if (at === -1) return false;
    end = at + part.length;
  }
  return name.length - last.length >= end && name.endsWith(last);
}
