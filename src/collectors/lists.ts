/**
 * Asks the service for lists of rows: in pages, by IDs, or about many names of which one may spoil the whole request.
 * The kinds call it in their `poll`. `rows.ts` reads the rows.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { listOf, type Parameter } from '../api/request.ts';
import { readFields, unexpectedAnswer } from '../api/response.ts';
import { CodedError } from '../model/coded-error.ts';
import { count } from '../model/stored.ts';
import type { Ask } from './collector.ts';
import { lenient, maxRows, readRows, type RowSet } from './rows.ts';

/** Whether an error is a CodedError with one of the codes. */
function hasCode(error: unknown, codes: readonly string[]): error is CodedError {
  return error instanceof CodedError && codes.includes(error.code);
}

/** Maximum number of names in one request of most operations. */
const maxNames = 100;

/** The names that the service refuses, with the codes of its errors. */
export type RefusedNames = ReadonlyMap<string, string>;

/**
 * Asks about names, at most `maxSize` in a request. One name that the service refuses spoils its whole request, so the
 * names of the request are asked about again in halves, down to single names: the refused name costs only itself.
 *
 * @param codes the codes of errors that a name can cause
 * @returns `answers`: those of the requests that were not refused; `refused`: the names that were refused alone
 * @throws CodedError with any other code
 */
export async function askInHalves<T>(
  names: readonly string[],
  codes: readonly string[],
  ask: (names: readonly string[]) => Promise<T>,
  maxSize = maxNames,
): Promise<{ readonly answers: readonly T[]; readonly refused: RefusedNames }> {
  const answers: T[] = [];
  const refused = new Map<string, string>();
  const askInBatches = async (waiting: readonly string[], size: number): Promise<void> => {
    for (let from = 0; from < waiting.length; from += size) {
      const batch = waiting.slice(from, from + size);
      try {
        answers.push(await ask(batch));
      } catch (error) {
        if (!hasCode(error, codes)) throw error;
        if (batch.length > 1) await askInBatches(batch, Math.ceil(batch.length / 2));
        else for (const name of batch) refused.set(name, error.code);
      }
    }
  };
  await askInBatches(names, maxSize);
  return { answers, refused };
}

/** Returns what `ask` returns or, if the service refuses with one of the codes, what `instead` returns. */
export async function unlessRefused<T>(
  codes: readonly string[],
  ask: () => Promise<T>,
  instead: () => T | Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (hasCode(error, codes)) return instead();
    throw error;
  }
}

/** Maximum number of rows in one page of the service (docs/service.md, section 8). */
const pageSize = 100;
/** Enough for {@link maxRows}. A service that sends one row a page would else keep a poll for half an hour. */
const maxPages = maxRows / pageSize;

/** The answer of a list. {@link askPage} takes the set from it by its name. */
const answerSchema = z.looseObject({ TotalCount: lenient(count) });
/** `Array.isArray`, but with elements of type `unknown`. */
const isList: (value: unknown) => value is readonly unknown[] = Array.isArray;

/** The set in the answers of a list. */
export interface PagedSet<S extends z.ZodType> extends RowSet<S> {
  /** The plural of what it lists. */
  readonly noun: string;
  /** Whether the list always has a row: an empty one is no answer. Default: false. */
  readonly isNeverEmpty?: boolean;
  /** Whether the poll can do without the list: it is no error if no row of it can be read. Default: false. */
  readonly isOptional?: boolean;
}

/** A list that was read, as {@link readList} returns it. */
export type ListReading<S extends z.ZodType> = ReturnType<typeof readingOf<S>>;

/**
 * Asks for pages until the list ends: with its total, with an empty page, or with a page that repeats the first one,
 * because the service ignores `Offset`. A list that changes meanwhile may lack a row or have one twice, so callers count a
 * row as deleted only after two readings lack it.
 *
 * @returns the `rows`, `names`, `unidentified` and `anomalies` of {@link readRows}; `total`: the number of rows that the
 *   service counts, or that of the distinct ones that it sent if it is higher; `requestId` of the last page
 * @throws CodedError `InvalidResponse` when there are too many rows, because a part of the list would give false
 *   deletions, and when no row can be read although the service does not say that there are none, or there always is one
 */
export async function readList<S extends z.ZodType>(
  ask: Ask,
  parameters: readonly Parameter[],
  set: PagedSet<S>,
): Promise<ListReading<S>> {
  const allRows: unknown[] = [];
  let firstPage: readonly unknown[] | null = null;
  const { name, noun } = set;
  for (let page = 1; ; page += 1) {
    const { requestId, rows, totalCount } = await askPage(ask, parameters, name, allRows.length);
    if (allRows.length + rows.length > maxRows || page > maxPages) {
      const message = `there are more than ${maxRows} ${noun}, or more than ${maxPages} pages of them`;
      throw new CodedError('InvalidResponse', message, { requestId });
    }
    const isRepeated = isDeepStrictEqual(rows, firstPage);
    firstPage ??= rows;
    if (!isRepeated) allRows.push(...rows);
    const isLast = rows.length === 0 || isRepeated;
    if (isLast || allRows.length >= (totalCount ?? Infinity)) {
      return readingOf({ rows: allRows, totalCount, requestId }, set, isRepeated);
    }
  }
}

/** The set in the answers of a list that is asked for by IDs. */
export interface IdSet<S extends z.ZodType> extends PagedSet<S> {
  /** The parameter with the list of IDs. */
  readonly parameter: string;
  /** Maximum number of IDs in a request. Default: 100, as most operations allow. */
  readonly maxIds?: number;
  /** The codes of errors that an ID can cause. */
  readonly codes: readonly string[];
}

/**
 * Reads the rows with these IDs. The service may refuse an ID, or answer without a row of it: then the ID is lacking.
 *
 * @returns `answers`: what was read, by request; `rows` and `anomalies`: those of all answers; `lacking`: the lacking IDs;
 *   `missing`: a note about each of them. An ID whose row may be one without a readable ID is not lacking
 */
export async function readByIds<S extends z.ZodType>(
  ask: Ask,
  ids: readonly string[],
  set: IdSet<S>,
) {
  const { codes, maxIds, parameter } = set;
  const askAbout = async (some: readonly string[]) => {
    const isWanted = (id: string) => some.includes(id);
    // The rows of the other requests still count.
    const isOptional = some.length < ids.length;
    const reading = await readList(ask, listOf(parameter, some), { ...set, isWanted, isOptional });
    // A row without a readable ID may be that of any ID without a row.
    const isWhole = reading.names.length === reading.total;
    const notNamed = some.filter((id) => !reading.names.includes(id));
    return { ...reading, withoutRow: isWhole ? notNamed : [] };
  };
  const { answers, refused } = await askInHalves(ids, codes, askAbout, maxIds);
  const withoutRow = answers.flatMap((answer) => answer.withoutRow);
  return {
    answers,
    rows: answers.flatMap(({ rows }) => rows),
    anomalies: answers.flatMap(({ anomalies }) => anomalies),
    lacking: [...refused.keys(), ...withoutRow],
    missing: [
      ...[...refused].map(([name, code]) => `${name}: refused with ${code}`),
      ...withoutRow.map((id) => `${id}: not in the answer`),
    ],
  };
}

/**
 * Asks for one page of a list, and returns its rows as they are.
 *
 * @param setName the name of the list in the answer
 * @param offset the number of rows before the page. `null` for a list that has no pages
 * @returns also `totalCount`: the number of rows of the whole list, `null` when the service does not say
 */
export function askPage(
  ask: Ask,
  parameters: readonly Parameter[],
  setName: string,
  offset: number | null,
) {
  const page = offset === null ? {} : { Offset: String(offset), Limit: String(pageSize) };
  return ask([...parameters, ...Object.entries(page)], (response) => {
    const { requestId } = response;
    const { TotalCount: totalCount, [setName]: set } = readFields(response, answerSchema);
    const rows = set ?? [];
    if (!isList(rows)) throw unexpectedAnswer(`${setName}: expected a list`, requestId);
    return { rows, totalCount, requestId };
  });
}

/** Asks for a list that has no pages. Returns and throws as {@link readList}. */
export async function readWholeList<S extends z.ZodType>(ask: Ask, set: PagedSet<S>) {
  return readingOf(await askPage(ask, [], set.name, null), set, false);
}

/**
 * Reads the rows of all pages, and compares their number with `totalCount`.
 *
 * @param isRepeated whether the service sent the first page twice
 */
function readingOf<S extends z.ZodType>(
  { rows, totalCount, requestId }: Awaited<ReturnType<typeof askPage>>,
  set: PagedSet<S>,
  isRepeated: boolean,
) {
  const reading = readRows(rows, set);
  const isEmpty = rows.length === 0 && totalCount === 0 && set.isNeverEmpty !== true;
  if (reading.names.length === 0 && !isEmpty && set.isOptional !== true) {
    throw unexpectedAnswer(`none of the ${set.noun} can be read`, requestId);
  }
  const distinct = reading.names.length + reading.unidentified;
  // A service that repeats the first page hides the following rows: at least one.
  const total = totalCount ?? distinct + (isRepeated ? 1 : 0);
  if (total !== distinct) {
    const counts = totalCount ?? 'more, on pages that are all the same';
    const detail = `${distinct} ${set.noun} were read, the service counts ${counts}`;
    // A list with more rows than the total of the service is complete.
    reading.anomalies.push({ kind: 'total-count-mismatch', detail, isHarmless: total < distinct });
  }
  return { ...reading, total: Math.max(total, distinct), requestId };
}
