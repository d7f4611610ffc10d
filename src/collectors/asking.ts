/** How kinds ask: with filters, for lists in pages, and about names of which one may spoil a request. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Parameter } from '../api/request.ts';
import { readFields, type ServiceResponse } from '../api/response.ts';
import { CodedError } from '../model/coded-error.ts';
import { count } from '../model/stored.ts';
import type { Ask } from './collector.ts';
import { known, maxRows, readRows, type RowSet, type RowsReading } from './rows.ts';

/** The parameters of filters, each with its values. */
export function filtersOf(filters: Readonly<Record<string, readonly string[]>>): Parameter[] {
  return Object.entries(filters).flatMap(([name, values], i): Parameter[] => [
    [`Filters.${i}.Name`, name],
    ...values.map((value, at): Parameter => [`Filters.${i}.Values.${at}`, value]),
  ]);
}

/** Maximum number of rows in one page of the service (docs/service.md, section 8). */
const pageSize = 100;

const totalSchema = z.object({ TotalCount: known(count) });

/** The set of a list. */
export interface ListSet<S extends z.ZodType> extends RowSet<S> {
  /** The plural of what it lists. */
  readonly noun: string;
  /** Default: it does. */
  readonly hasPages?: boolean;
}

export interface ListReading<Row> extends RowsReading<Row> {
  /** The number of rows that the service counts, and at least the number of those that were read. */
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
  set: ListSet<S>,
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

/** `totalCount` is the number of rows of the whole list. `null` when the service does not say. */
function readPage(response: ServiceResponse, name: string) {
  const { TotalCount: totalCount } = readFields(response, totalSchema);
  const sets = readFields(response, z.object({ [name]: z.array(z.unknown()).nullish() }));
  return { rows: sets[name] ?? [], totalCount, requestId: response.requestId };
}

function readingOf<S extends z.ZodType>(
  { rows, totalCount, requestId }: ReturnType<typeof readPage>,
  set: ListSet<S>,
  isRepeated: boolean,
): ListReading<z.output<S>> {
  const reading = readRows(rows, set);
  const anomalies = [...reading.anomalies];
  if (reading.names.length === 0 && (rows.length > 0 || totalCount !== 0)) {
    const message = `unexpected answer: none of the ${set.noun} can be read`;
    throw new CodedError('InvalidResponse', message, { requestId });
  }
  // Pages that are the same hide what follows.
  const total = totalCount ?? rows.length + (isRepeated ? 1 : 0);
  if (total !== rows.length) {
    const counts = totalCount ?? 'more, on pages that are all the same';
    const detail = `${rows.length} ${set.noun} were read, the service counts ${counts}`;
    // A list with more rows than the total of the service is complete.
    anomalies.push({ kind: 'total-count-mismatch', detail, isHarmless: total < rows.length });
  }
  return { ...reading, total: Math.max(total, rows.length), anomalies, requestId };
}

export function hasCode(error: unknown, codes: readonly string[]): error is CodedError {
  return error instanceof CodedError && codes.includes(error.code);
}

/** Maximum number of names in a request. */
const maxNames = 100;

/** A name that the service refuses. */
export interface Refused {
  readonly name: string;
  readonly code: string;
}

/**
 * Asks about names, at most 100 at a time. One name that the service refuses spoils its whole request, so that is asked
 * again in halves: the name costs only itself.
 *
 * @param codes those of the error that a name can cause
 * @throws CodedError with any other code
 */
export async function askInHalves<T>(
  names: readonly string[],
  codes: readonly string[],
  ask: (names: readonly string[]) => Promise<T>,
): Promise<{ readonly answers: readonly T[]; readonly refused: readonly Refused[] }> {
  if (names.length === 0) return { answers: [], refused: [] };
  if (names.length <= maxNames) {
    try {
      return { answers: [await ask(names)], refused: [] };
    } catch (error) {
      if (!hasCode(error, codes)) throw error;
      const { code } = error;
      if (names.length === 1)
        return { answers: [], refused: names.map((name) => ({ name, code })) };
    }
  }
  const half = Math.ceil(names.length / 2);
  const one = await askInHalves(names.slice(0, half), codes, ask);
  const other = await askInHalves(names.slice(half), codes, ask);
  return {
    answers: [...one.answers, ...other.answers],
    refused: [...one.refused, ...other.refused],
  };
}
