/**
 * Reads a complete list of versions, although it may change during the read.
 *
 * Pages overlap by one row: each page begins with the last row of the page before. If another row is there,
 * earlier rows were added or removed, and some may be missing. Then the read starts again.
 */
import { CodedError } from '../../model/coded-error.ts';
import { maxRows } from '../read-rows.ts';
import type { DefaultVersion } from './record.ts';

/** The result of reading one version. For an invalid row: its mistake, and the fields that can be read. */
export type VersionRow =
  | {
      readonly ok: false;
      readonly problem: string;
      readonly version: number | null;
      /** `null` when the row does not say. */
      readonly isDefault: boolean | null;
    }
  | {
      readonly ok: true;
      readonly isDefault: boolean;
      /** Its texts are unchanged from the answer. */
      readonly data: DefaultVersion;
    };

/** The version number of a row. `null` when it cannot be read. */
export function versionOf(row: VersionRow): number | null {
  return row.ok ? row.data.version : row.version;
}

/** A page. For a complete list: the rows of all pages, and the last total of the service. */
export interface VersionPage {
  /** `null` when the service does not say. */
  readonly totalCount: number | null;
  readonly rows: readonly VersionRow[];
  readonly requestId: string | null;
}

const maxPasses = 5;

/**
 * Reads pages until nothing is missing. A list of one page needs one request if the service reports the
 * number of versions. An inconsistent list is read again. It is accepted when two successive readings are
 * equal.
 *
 * @throws CodedError `InvalidResponse` when 5 readings gave no reliable answer, or when there are more
 *   than 1,000 versions: a part of the list would give a false latest version and false deletions
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
  /** Whether the list has no sign that it is incomplete. */
  readonly isCoherent: boolean;
}

/** Reads all pages once. Returns `null` when the list changed during the read. */
async function readOnce(
  fetchPage: (offset: number) => Promise<VersionPage>,
): Promise<Reading | null> {
  const rows: VersionRow[] = [];
  for (;;) {
    const page = await fetchPage(Math.max(0, rows.length - 1));
    const { totalCount, requestId } = page;
    const isFirst = rows.length === 0;
    const added = isFirst ? page.rows : rowsAfterOverlap(rows, page);
    if (added === null) {
      if (totalCount !== null || !(await ignoresOffset(rows, fetchPage))) return null;
      return { rows, totalCount, requestId, isCoherent: false };
    }
    if (rows.length + added.length > maxRows) throw tooManyVersions(requestId);
    rows.push(...added);
    if (added.length === 0 || (totalCount !== null && rows.length >= totalCount)) {
      // An empty page has not even the overlapping row, so the list became shorter.
      const isCoherent =
        (totalCount ?? rows.length) === rows.length &&
        (isFirst || (page.rows.length > 0 && isPlausible(rows)));
      return { rows, totalCount, requestId, isCoherent };
    }
  }
}

/**
 * Whether the first page comes for an offset that is beyond every list that is read. A list that
 * grew during the read can give the first page again for a smaller offset.
 */
async function ignoresOffset(
  firstRows: readonly VersionRow[],
  fetchPage: (offset: number) => Promise<VersionPage>,
): Promise<boolean> {
  const { rows } = await fetchPage(maxRows);
  return rows.length > 0 && rows.every((row, index) => nameOf(row) === nameOf(firstRows[index]));
}

/** The error for a template with too many versions. */
export function tooManyVersions(requestId: string | null): CodedError {
  const message = `the template has more than ${maxRows} versions, which is more than are read; delete some, or take it out of the configuration`;
  return new CodedError('InvalidResponse', message, { requestId });
}

/** The new rows of a page. `null` when it does not begin with the last row of the page before. */
function rowsAfterOverlap(
  rows: readonly VersionRow[],
  page: VersionPage,
): readonly VersionRow[] | null {
  const [first, ...others] = page.rows;
  // Without a total, the list ends when a page has only its overlapping row. An empty page is no proof:
  // the list may have become shorter, and earlier rows may be unread.
  if (first === undefined) return page.totalCount === null ? null : [];
  return nameOf(first) === nameOf(rows.at(-1)) ? others : null;
}

/**
 * Whether no version occurs twice and exactly one is the default. A list that changes between two pages may
 * break either rule.
 */
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
    .map((row) => JSON.stringify([versionOf(row), row.isDefault]))
    .sort()
    .join(' ');
}
