/** Reads a list of the service page by page. The kinds that list regions, templates, versions and subnets use it. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Parameter } from '../api/request.ts';
import { readFields, type ServiceResponse } from '../api/response.ts';
import { CodedError } from '../model/coded-error.ts';
import { count } from '../model/stored.ts';
import type { Ask } from './collector.ts';
import { lenient, maxRows, readRows, type RowSet, type RowsReading } from './rows.ts';

/** Maximum number of rows in one page of the service (docs/service.md, section 8). */
const pageSize = 100;

const totalSchema = z.object({ TotalCount: lenient(count) });

/** The set in the answers of a list. */
export interface PagedSet<S extends z.ZodType> extends RowSet<S> {
  /** The plural of what it lists. */
  readonly noun: string;
  /** Whether the operation takes `Offset` and `Limit`. Default: true. */
  readonly hasPages?: boolean;
}

export interface ListReading<Row> extends RowsReading<Row> {
  /** The number of rows that the service counts, or the number that it sent if that is higher. */
  readonly total: number;
  readonly requestId: string | null;
}

/**
 * Asks for pages until the list ends: with its total, with an empty page, or with a page that repeats the first one,
 * because the service ignores `Offset`. A list that changes meanwhile may lack a row or have one twice: what one
 * reading lacks is not deleted yet.
 *
 * @throws CodedError `InvalidResponse` when there are too many rows, because a part of the list would give false
 *   deletions, and when no row can be read although the service does not say that there are none
 */
export async function readList<S extends z.ZodType>(
  ask: Ask,
  parameters: readonly Parameter[],
  set: PagedSet<S>,
): Promise<ListReading<z.output<S>>> {
  const all: unknown[] = [];
  let first: readonly unknown[] | null = null;
  const { hasPages = true, name, noun } = set;
  for (;;) {
    const paging: readonly Parameter[] = [
      ['Offset', String(all.length)],
      ['Limit', String(pageSize)],
    ];
    const { requestId, rows, totalCount } = await ask(
      hasPages ? [...parameters, ...paging] : parameters,
      (response) => readPage(response, name),
    );
    if (all.length + rows.length > maxRows) {
      const message = `there are more than ${maxRows} ${noun}, which is more than are read`;
      throw new CodedError('InvalidResponse', message, { requestId });
    }
    const isRepeated = isDeepStrictEqual(rows, first);
    first ??= rows;
    if (!isRepeated) all.push(...rows);
    const isLast = !hasPages || rows.length === 0 || isRepeated;
    if (isLast || all.length >= (totalCount ?? Infinity)) {
      return readingOf({ rows: all, totalCount, requestId }, set, isRepeated);
    }
  }
}

/** Reads one page. `totalCount` is the number of rows of the whole list, `null` when the service does not say. */
function readPage(response: ServiceResponse, name: string) {
  const { TotalCount: totalCount } = readFields(response, totalSchema);
  const sets = readFields(response, z.object({ [name]: z.array(z.unknown()).nullish() }));
  return { rows: sets[name] ?? [], totalCount, requestId: response.requestId };
}

function readingOf<S extends z.ZodType>(
  { rows, totalCount, requestId }: ReturnType<typeof readPage>,
  set: PagedSet<S>,
  isRepeated: boolean,
): ListReading<z.output<S>> {
  const reading = readRows(rows, set);
  const anomalies = [...reading.anomalies];
  if (reading.names.length === 0 && (rows.length > 0 || totalCount !== 0)) {
    const message = `unexpected answer: none of the ${set.noun} can be read`;
    throw new CodedError('InvalidResponse', message, { requestId });
  }
  // A service that repeats the first page hides the following rows: at least one.
  const total = totalCount ?? rows.length + (isRepeated ? 1 : 0);
  if (total !== rows.length) {
    const counts = totalCount ?? 'more, on pages that are all the same';
    const detail = `${rows.length} ${set.noun} were read, the service counts ${counts}`;
    // A list with more rows than the total of the service is complete.
    anomalies.push({ kind: 'total-count-mismatch', detail, isHarmless: total < rows.length });
  }
  return { ...reading, total: Math.max(total, rows.length), anomalies, requestId };
}
