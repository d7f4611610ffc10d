/** One page of a listing. */
export interface Page<T> {
  readonly rows: readonly T[];
  /** From 1. If a later page is requested, the last page. */
  readonly number: number;
  readonly count: number;
  /** Number of rows on all pages. */
  readonly total: number;
  /** The position of the page's first row in the listing, from 1. */
  readonly first: number;
}

const usualRows = 25;

export function pageOf<T>(rows: readonly T[], asked: number, rowsPerPage = usualRows): Page<T> {
  const count = Math.max(1, Math.ceil(rows.length / rowsPerPage));
  const number = Math.min(asked, count);
  const start = (number - 1) * rowsPerPage;
  return {
    rows: rows.slice(start, start + rowsPerPage),
    number,
    count,
    total: rows.length,
    first: start + 1,
  };
}
