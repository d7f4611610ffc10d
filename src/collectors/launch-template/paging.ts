/**
 * Reads a list of versions completely while others may change it.
 *
 * Pages overlap by one row: each begins at the last row already read. Where that row is not found
 * there, rows before it came or went, some may have been missed, and the reading starts again.
 */
import { CodedError } from '../../model/coded-error.ts';
import { maxRows } from '../read-rows.ts';
import type { DefaultVersion } from './record.ts';

/** What is read of one version, or what is wrong with its row and what can be read all the same. */
export type VersionRow =
  | {
      readonly ok: false;
      readonly problem: string;
      readonly version: number | null;
      /** `null` where the row does not tell. */
      readonly isDefault: boolean | null;
    }
  | {
      readonly ok: true;
      readonly isDefault: boolean;
      /** Its texts are as the service wrote them. */
      readonly data: DefaultVersion;
    };

/** The number of a row's version; `null` where it cannot be read. */
export function versionOf(row: VersionRow): number | null {
  return row.ok ? row.data.version : row.version;
}

/** A page; of a complete list, the rows of all pages with what the service said last. */
export interface VersionPage {
  /** `null` where the service does not say. */
  readonly totalCount: number | null;
  readonly rows: readonly VersionRow[];
  readonly requestId: string | null;
}

const maxPasses = 5;

/**
 * Reads pages until nothing is missing. A list of one page costs one request if the service says
 * how many versions there are. A list that contradicts itself is read again, and taken as it is
 * when two readings in succession agree.
 *
 * @throws CodedError `InvalidResponse` when 5 readings gave no answer to trust, or when there are more
 *   than 1,000 versions: a part of them would have a false latest version and false deletions
 */
export async function readVersionList(
  fetchPage: (offset: number) => Promise<VersionPage>,
): Promise<VersionPage> {
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
    `the list of versions was different each of the ${maxPasses} times it was read; the next poll reads it again`,
  );
}

interface Reading extends VersionPage {
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
    const { totalCount, requestId } = page;
    const added = rows.length === 0 ? page.rows : rowsAfterOverlap(rows, page);
    if (added === null) {
      // Without a total, the first page once more is how a service shows that it ignores Offset.
      const isFirstPage =
        page.rows.length > 0 &&
        page.rows.every((row, index) => nameOf(row) === nameOf(rows[index]));
      if (totalCount !== null || !isFirstPage) return null;
      return { rows, totalCount, requestId, isCoherent: false };
    }
    if (rows.length + added.length > maxRows) throw tooManyVersions(requestId);
    rows.push(...added);
    if (added.length === 0 || (totalCount !== null && rows.length >= totalCount)) {
      const isCoherent =
        (totalCount ?? rows.length) === rows.length && (pages === 1 || isPlausible(rows));
      return { rows, totalCount, requestId, isCoherent };
    }
  }
}

/** The error of a template that has more versions than are read. */
export function tooManyVersions(requestId: string | null): CodedError {
  const message = `the template has more than ${maxRows} versions, which is more than are read; delete some, or take it out of the configuration`;
  return new CodedError('InvalidResponse', message, { requestId });
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
  const versions = rows.map(versionOf).filter((version) => version !== null);
  const isRepeated = new Set(versions).size < versions.length;
  return !isRepeated && rows.filter((row) => row.isDefault === true).length === 1;
}

function nameOf(row: VersionRow | undefined): number | null {
  return row === undefined ? null : versionOf(row);
}

/** Equal for the same versions in any order. */
function fingerprint(rows: readonly VersionRow[]): string {
  return rows
    .map((row) => `${versionOf(row) ?? '?'}${row.isDefault === true ? '*' : ''}`)
    .sort()
    .join(' ');
}
