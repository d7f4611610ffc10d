/**
 * Reads a complete list of templates, although it may change during the read.
 *
 * A template that is deleted during the read moves later rows to earlier pages, where they are not read again.
 * So a list of several pages is trusted at once only if nothing differs from the known list. Otherwise it is
 * read again until two successive readings are equal.
 */
import { CodedError } from '../../model/coded-error.ts';
import type { ListedTemplate } from '../launch-template/target.ts';

/** The result of reading one row. */
export interface ListRow {
  /** `null` when it cannot be read. */
  readonly id: string | null;
  /** `null` when it cannot be read. */
  readonly name: string | null;
  readonly listed: ListedTemplate;
}

/** A page. For a complete list: the rows of all pages, and the total of the service. */
export interface ListPage {
  /** `null` when the service does not say. */
  readonly totalCount: number | null;
  readonly rows: readonly ListRow[];
  readonly requestId: string | null;
}

const maxPasses = 5;
/** Maximum number of rows that are read. */
const maxListed = 20_000;

/**
 * Reads pages until nothing is missing.
 *
 * @param isExpected whether a list without a sign of a change contains what is known
 * @throws CodedError `InvalidResponse` when 5 readings gave no reliable answer, or when there are more than
 *   20,000 templates: a part of the list would give false deletions
 */
export async function readTemplateList(
  fetchPage: (offset: number) => Promise<ListPage>,
  isExpected: (list: ListPage) => boolean,
): Promise<ListPage> {
  let previous: string | null = null;
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    const { isCoherent, isOnePage, ...list } = await readOnce(fetchPage);
    if (isCoherent && (isOnePage || isExpected(list))) return list;
    const print = fingerprint(list);
    if (print === previous) return list;
    previous = print;
  }
  throw new CodedError(
    'InvalidResponse',
    `the list of launch templates was different each of the ${maxPasses} times it was read; the next poll reads it again`,
  );
}

interface Reading extends ListPage {
  /** Whether the list has no sign that it is incomplete. */
  readonly isCoherent: boolean;
  /** A page is one answer, so nothing can move while it is read. */
  readonly isOnePage: boolean;
}

async function readOnce(fetchPage: (offset: number) => Promise<ListPage>): Promise<Reading> {
  const rows: ListRow[] = [];
  for (;;) {
    const isFirst = rows.length === 0;
    const { rows: added, totalCount, requestId } = await fetchPage(rows.length);
    const isEnd =
      added.length === 0 || (isStartOf(rows, added) && (await ignoresOffset(rows, fetchPage)));
    if (!isEnd) rows.push(...added);
    if (rows.length > maxListed) throw tooManyTemplates(requestId);
    if (isEnd || rows.length >= (totalCount ?? Infinity)) {
      const isCoherent = (totalCount ?? rows.length) === rows.length && !isAnyRepeated(rows);
      return { rows, totalCount, requestId, isCoherent, isOnePage: isFirst };
    }
  }
}

/** Whether a list begins with the rows of a page. */
function isStartOf(rows: readonly ListRow[], page: readonly ListRow[]): boolean {
  return page.every((row, i) => row.id === rows[i]?.id);
}

/**
 * Whether the first page comes for an offset that is beyond every list that is read. A list that grew during
 * the read can give the first page again for a smaller offset.
 */
async function ignoresOffset(
  rows: readonly ListRow[],
  fetchPage: (offset: number) => Promise<ListPage>,
): Promise<boolean> {
  const page = await fetchPage(maxListed);
  return page.rows.length > 0 && isStartOf(rows, page.rows);
}

function tooManyTemplates(requestId: string | null): CodedError {
  const message = `the region has more than ${maxListed} launch templates, which is more than are read; select them by tags`;
  return new CodedError('InvalidResponse', message, { requestId });
}

function isAnyRepeated(rows: readonly ListRow[]): boolean {
  const ids = rows.map(({ id }) => id).filter((id) => id !== null);
  return new Set(ids).size < ids.length;
}

/** Equal for the same templates in any order. */
function fingerprint({ rows, totalCount }: ListPage): string {
  return JSON.stringify([totalCount, rows.map(({ id }) => String(id)).toSorted()]);
}
