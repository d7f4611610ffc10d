/** Selects launch templates or scaling groups of a list by names and tags. The two kinds that list them call it. */
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
  /** The tags that a template or group must have, all of them. Empty: none are needed. */
  tags: z.record(text, text),
});
export type Selection = Stored<typeof selectionSchema>;

const maxNameLength = 128;

/**
 * Divides the rows of a list by the patterns for names. The service has compared the tags already.
 *
 * @param rows as {@link readRows} returns them: `name` is the ID, and `row.name` is the name, `null` if it cannot be read
 * @param noun of what the list lists, for messages
 * @returns `selected` and `others`: the rows by whether the name matches, with a printable name, empty if it cannot be
 *   read; `missing`: a note if nothing is selected; `anomalies`: the rows without a readable name, if names are
 *   selected. These are in neither list
 */
export function selectRows<Row extends { readonly name: string | null }>(
  selection: Selection,
  rows: readonly { readonly name: string; readonly row: Row }[],
  noun: string,
) {
  const rowsThatMatch = (isMatch: boolean | null) =>
    rows
      .filter(({ row }) => isSelected(selection, row.name) === isMatch)
      .map(({ name: id, row }) => ({ id, row, name: printable(row.name ?? '', maxNameLength) }));
  const selected = rowsThatMatch(true);
  const wanted = selectionText(selection);
  return {
    selected,
    others: rowsThatMatch(false),
    missing: selected.length === 0 && wanted !== '' ? [`no ${noun} matches ${wanted}`] : [],
    anomalies: rowsThatMatch(null).map(({ id }): Anomaly => {
      return { kind: 'invalid-row', detail: `${quoted(id, 64)}: no name` };
    }),
  };
}

/** The selection that a key of the configuration says, such as `launch_templates`. `all`: every name, without tags. */
export function selectionOf(key: 'all' | z.output<typeof selectionKeys>): Selection {
  const { names = null, tags = {} } = key === 'all' ? {} : key;
  return { names, tags };
}

/** The filters of a request. The service has no patterns for names, so {@link selectRows} compares them with the answer. */
export function tagFilters({ tags }: Selection): Parameter[] {
  const filters = Object.entries(tags).map(([key, value]) => [`tag:${key}`, [value]] as const);
  return filtersOf(Object.fromEntries(filters));
}

/** The selection for people, such as `names batch-*, tags env=prod`. Empty if it selects everything. */
export function selectionText({ names, tags }: Selection): string {
  const pairs = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  return [
    ...(names === null ? [] : [`names ${names.join(', ')}`]),
    ...(pairs.length === 0 ? [] : [`tags ${pairs.join(', ')}`]),
  ].join(', ');
}

/** Whether a name is selected. `null` if the name is unknown and a pattern is needed. */
function isSelected({ names }: Selection, name: string | null): boolean | null {
  if (names === null) return true;
  return name === null ? null : names.some((pattern) => matches(name, pattern));
}

/**
 * Whether a pattern matches a name; `*` matches any text. It finds each part at its first place, because a regular
 * expression could take a time that grows exponentially with the number of `*`.
 */
function matches(name: string, pattern: string): boolean {
  const [prefix = '', ...parts] = pattern.split('*');
  const suffix = parts.pop();
  // A pattern without `*`.
  if (suffix === undefined) return name === pattern;
  if (!name.startsWith(prefix)) return false;
  let matchedLength = prefix.length;
  for (const part of parts) {
    const at = name.indexOf(part, matchedLength);
    if (at === -1) return false;
    matchedLength = at + part.length;
  }
  return name.length - suffix.length >= matchedLength && name.endsWith(suffix);
}
