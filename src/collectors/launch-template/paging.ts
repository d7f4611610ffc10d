/**
 * Reads a list of versions completely while others may change it.
 *
 * Pages overlap by one row: each begins at the last row already read. Where that row is not found
 * there, rows before it came or went, some may have been missed, and the reading starts anew.
 */
import { CodedError } from '../../model/coded-error.ts';
import { maxRows } from '../rows.ts';
import type { DefaultVersion } from './record.ts';

/** What is read of one version, or what is wrong with its row. */
export type VersionRow =
  | { readonly ok: false; readonly problem: string }
  | {
      readonly ok: true;
      readonly isDefault: boolean;
      /** Its texts are as the service wrote them. */
      readonly data: DefaultVersion;
    };

export interface VersionPage {
  /** `null` where the service does not say. */
  readonly totalCount: number | null;
  readonly rows: readonly VersionRow[];
}

/** The rows of all pages, with the service's last word on how many there are. */
export interface VersionList extends VersionPage {
  /** There were more than {@link maxRows}; the others were not read. */
  readonly truncated: boolean;
}

const maxPasses = 5;

/**
 * Reads pages until nothing is missing. A list of one page costs one request if the service says
 * how many versions there are. A list that contradicts itself is read again, and taken as it is
 * when two readings in succession agree.
 *
 * @throws CodedError `InvalidResponse` when 5 readings gave no answer to trust
 */
export async function readVersionList(
  fetchPage: (offset: number) => Promise<VersionPage>,
): Promise<VersionList> {
  let previous: string | null = null;
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    const reading = await readOnce(fetchPage);
    if (reading === null) {
      previous = null;
      continue;
    }
    if (reading.isCoherent) return reading;
    const print = fingerprint(reading.rows);
    if (print === previous) return reading;
    previous = print;
  }
  throw new CodedError(
    'InvalidResponse',
    `the list of versions was different each of the ${maxPasses} times it was read`,
  );
}

interface Reading extends VersionList {
  /** Nothing speaks against its being complete. */
  readonly isCoherent: boolean;
}

/** One pass over the pages, or `null` when the list shifted meanwhile. */
async function readOnce(
  fetchPage: (offset: number) => Promise<VersionPage>,
): Promise<Reading | null> {
  const rows: VersionRow[] = [];
  for (let pages = 1; ; pages += 1) {
    const page = await fetchPage(Math.max(0, rows.length - 1));
    const { totalCount } = page;
    const added = rows.length === 0 ? page.rows : rowsAfterOverlap(rows, page);
    if (added === null) {
      // Without a total, the first page once more is how a service shows that it ignores Offset.
      const isFirstPage =
        page.rows.length > 0 &&
        page.rows.every((row, index) => nameOf(row) === nameOf(rows[index]));
      if (totalCount !== null || !isFirstPage) return null;
      return { rows, totalCount, truncated: false, isCoherent: false };
    }
    rows.push(...added.slice(0, maxRows + 1));
    if (rows.length > maxRows) {
      return { rows: rows.slice(0, maxRows), totalCount, truncated: true, isCoherent: true };
    }
    if (added.length === 0 || (totalCount !== null && rows.length >= totalCount)) {
      const isCoherent =
        (totalCount ?? rows.length) === rows.length && (pages === 1 || isPlausible(rows));
      return { rows, totalCount, truncated: false, isCoherent };
    }
  }
}

/** What a page adds to the rows before it, or `null` when it does not begin with the last of them. */
function rowsAfterOverlap(
  rows: readonly VersionRow[],
  page: VersionPage,
): readonly VersionRow[] | null {
  const [first, ...others] = page.rows;
  // Without a total, only the last row once more is the end: an empty page lies beyond it, where a
  // list that shrank meanwhile leaves rows unread.
  if (first === undefined) return page.totalCount === null ? null : [];
  return nameOf(first) === nameOf(rows.at(-1)) ? others : null;
}

/** No version twice and one default: a list that changes between two pages may break either. */
function isPlausible(rows: readonly VersionRow[]): boolean {
  const valid = rows.filter((row) => row.ok);
  const isRepeated = new Set(valid.map((row) => row.data.version)).size < valid.length;
  return !isRepeated && valid.filter((row) => row.isDefault).length === 1;
}

function nameOf(row: VersionRow | undefined): number | null {
  return row?.ok === true ? row.data.version : null;
}

/** Equal for the same versions in any order. */
function fingerprint(rows: readonly VersionRow[]): string {
  return rows
    .map((row) => (row.ok ? `${row.data.version}${row.isDefault ? '*' : ''}` : '?'))
    .sort()
    .join(' ');
}
