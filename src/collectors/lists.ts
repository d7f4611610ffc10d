/**
 * Asks for rows: requests about many names of which one may spoil the whole, and lists in pages. `rows.ts` reads
 * what is answered.
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
 * Asks about names, at most `most` at a time. One name that the service refuses spoils its whole request, so the names of
 * the request are asked about again in halves: the refused name costs only itself.
 *
 * @param codes the codes of errors that a name can cause
 * @throws CodedError with any other code
 */
export async function askInHalves<T>(
  names: readonly string[],
  codes: readonly string[],
  ask: (names: readonly string[]) => Promise<T>,
  most = maxNames,
): Promise<{ readonly answers: readonly T[]; readonly refused: RefusedNames }> {
  const answers: T[] = [];
  const refused = new Map<string, string>();
  const askInParts = async (all: readonly string[], size: number): Promise<void> => {
    for (let from = 0; from < all.length; from += size) {
      const some = all.slice(from, from + size);
      try {
        answers.push(await ask(some));
      } catch (error) {
        if (!hasCode(error, codes)) throw error;
        if (some.length > 1) await askInParts(some, Math.ceil(some.length / 2));
        else for (const name of some) refused.set(name, error.code);
      }
    }
  };
  await askInParts(names, most);
  return { answers, refused };
}

/** What `ask` returns. What `instead` returns, if the service refuses with one of the codes. */
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

/** The answer of a list. Its set is checked by {@link isList}. */
const answerSchema = z.looseObject({ TotalCount: lenient(count) });
const isList: (value: unknown) => value is readonly unknown[] = Array.isArray;

/** The set in the answers of a list. */
export interface PagedSet<S extends z.ZodType> extends RowSet<S> {
  /** The plural of what it lists. */
  readonly noun: string;
  /** Whether the list always has a row: an empty one is no answer. Default: false. */
  readonly isNeverEmpty?: boolean;
  /** The list is a part of what a poll asks for: if none of it can be read, the rest still counts. Default: false. */
  readonly isPart?: boolean;
}

/** A list that was read. */
export type ListReading<S extends z.ZodType> = ReturnType<typeof readingOf<S>>;

/**
 * Asks for pages until the list ends: with its total, with an empty page, or with a page that repeats the first one,
 * because the service ignores `Offset`. A list that changes meanwhile may lack a row or have one twice: what one
 * reading lacks is not deleted yet.
 *
 * @throws CodedError `InvalidResponse` when there are too many rows, because a part of the list would give false
 *   deletions, and when no row can be read although the service does not say that there are none, or there always is one
 */
export async function readList<S extends z.ZodType>(
  ask: Ask,
  parameters: readonly Parameter[],
  set: PagedSet<S>,
): Promise<ListReading<S>> {
  const all: unknown[] = [];
  let first: readonly unknown[] | null = null;
  const { name, noun } = set;
  for (let page = 1; ; page += 1) {
    const { requestId, rows, totalCount } = await askPage(ask, parameters, name, all.length);
    if (all.length + rows.length > maxRows || page > maxPages) {
      const message = `there are more than ${maxRows} ${noun}, or more than ${maxPages} pages of them`;
      throw new CodedError('InvalidResponse', message, { requestId });
    }
    const isRepeated = isDeepStrictEqual(rows, first);
    first ??= rows;
    if (!isRepeated) all.push(...rows);
    const isLast = rows.length === 0 || isRepeated;
    if (isLast || all.length >= (totalCount ?? Infinity)) {
      return readingOf({ rows: all, totalCount, requestId }, set, isRepeated);
    }
  }
}

/** The set in the answers of a list that is asked for by IDs. */
export interface IdSet<S extends z.ZodType> extends PagedSet<S> {
  /** The list of IDs in a request, and their maximum number if it is not that of most operations. */
  readonly parameter: string;
  readonly most?: number;
  /** The codes of errors that an ID can cause. */
  readonly codes: readonly string[];
}

/**
 * Reads the rows with some IDs.
 *
 * @returns `answers`: those of the single requests; `lacking`: the IDs that a whole answer does not name, or that the service
 *   refuses; `missing` says why
 */
export async function readByIds<S extends z.ZodType>(
  ask: Ask,
  ids: readonly string[],
  set: IdSet<S>,
) {
  const { codes, most, parameter } = set;
  const askAbout = async (some: readonly string[]) => {
    const isWanted = (id: string) => some.includes(id);
    const isPart = some.length < ids.length;
    const reading = await readList(ask, listOf(parameter, some), { ...set, isWanted, isPart });
    // A row without a readable ID may be that of an ID without a row.
    const isWhole = reading.names.length === reading.total;
    const others = some.filter((id) => !reading.names.includes(id));
    return { ...reading, unnamed: isWhole ? others : [] };
  };
  const { answers, refused } = await askInHalves(ids, codes, askAbout, most);
  const unnamed = answers.flatMap((answer) => answer.unnamed);
  return {
    answers,
    rows: answers.flatMap(({ rows }) => rows),
    anomalies: answers.flatMap(({ anomalies }) => anomalies),
    lacking: [...refused.keys(), ...unnamed],
    missing: [
      ...[...refused].map(([name, code]) => `${name}: refused with ${code}`),
      ...unnamed.map((id) => `${id}: not in the answer`),
    ],
  };
}

/**
 * Asks for the page of a set that begins with a row. `totalCount` is the number of rows of the whole list, `null` when the
 * service does not say.
 *
 * @param offset `null` for a list that has no pages
 */
export function askPage(
  ask: Ask,
  parameters: readonly Parameter[],
  name: string,
  offset: number | null,
) {
  const page = offset === null ? {} : { Offset: String(offset), Limit: String(pageSize) };
  return ask([...parameters, ...Object.entries(page)], (response) => {
    const { requestId } = response;
    const { TotalCount: totalCount, [name]: set } = readFields(response, answerSchema);
    const rows = set ?? [];
    if (!isList(rows)) throw unexpectedAnswer(`${name}: expected a list`, requestId);
    return { rows, totalCount, requestId };
  });
}

/** Asks for a list that has no pages. @throws CodedError as {@link readList} */
export async function readWholeList<S extends z.ZodType>(ask: Ask, set: PagedSet<S>) {
  return readingOf(await askPage(ask, [], set.name, null), set, false);
}

/**
 * Reads the rows of all pages.
 *
 * @returns also `total`: the number of rows that the service counts, or that of the different ones that it sent if it is higher
 */
function readingOf<S extends z.ZodType>(
  { rows, totalCount, requestId }: Awaited<ReturnType<typeof askPage>>,
  set: PagedSet<S>,
  isRepeated: boolean,
) {
  const reading = readRows(rows, set);
  const isEmpty = rows.length === 0 && totalCount === 0 && set.isNeverEmpty !== true;
  if (reading.names.length === 0 && !isEmpty && set.isPart !== true) {
    throw unexpectedAnswer(`none of the ${set.noun} can be read`, requestId);
  }
  const different = reading.names.length + reading.unidentified;
  // A service that repeats the first page hides the following rows: at least one.
  const total = totalCount ?? different + (isRepeated ? 1 : 0);
  if (total !== different) {
    const counts = totalCount ?? 'more, on pages that are all the same';
    const detail = `${different} ${set.noun} were read, the service counts ${counts}`;
    // A list with more rows than the total of the service is complete.
    reading.anomalies.push({ kind: 'total-count-mismatch', detail, isHarmless: total < different });
  }
  return { ...reading, total: Math.max(total, different), requestId };
}
