/** Parts of requests that kinds share: filters, and requests about many names of which one may spoil the whole. */
import type { Parameter } from '../api/request.ts';
import { CodedError } from '../model/coded-error.ts';

/** The parameters of filters, each with its values. */
export function filtersOf(filters: Readonly<Record<string, readonly string[]>>): Parameter[] {
  return Object.entries(filters).flatMap(([name, values], i): Parameter[] => [
    [`Filters.${i}.Name`, name],
    ...values.map((value, at): Parameter => [`Filters.${i}.Values.${at}`, value]),
  ]);
}

/** Whether an error is a CodedError with one of the codes. */
export function hasCode(error: unknown, codes: readonly string[]): error is CodedError {
  return error instanceof CodedError && codes.includes(error.code);
}

/** Maximum number of names that are asked about in one request. */
const maxNames = 100;

/** A name that the service refuses, and the code of its error. */
export interface RefusedName {
  readonly name: string;
  readonly code: string;
}

/**
 * Asks about names, at most 100 at a time. One name that the service refuses spoils its whole request, so the names of
 * the request are asked about again in halves: the refused name costs only itself.
 *
 * @param codes the codes of errors that a name can cause
 * @throws CodedError with any other code
 */
export async function askInHalves<T>(
  names: readonly string[],
  codes: readonly string[],
  ask: (names: readonly string[]) => Promise<T>,
): Promise<{ readonly answers: readonly T[]; readonly refused: readonly RefusedName[] }> {
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
