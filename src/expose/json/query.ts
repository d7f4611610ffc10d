/**
 * The query parameters of `/api/v1`. They are read strictly, so that a misspelt filter is an error and is not
 * ignored.
 */
import { z } from 'zod';
import { mapInTurns } from '../pauses.ts';

/** An invalid query. The message names each invalid parameter and the accepted values. */
export class QueryError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'QueryError';
  }
}

/** A parameter that may be repeated. Empty means all. */
export const names = z.array(z.string()).default([]);

/** A parameter that may not. */
export const once = z
  .tuple([z.string()], { error: 'must be given once' })
  .transform(([text]) => text);

export const time = once.pipe(
  z.union(
    [
      z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number),
      z.iso.datetime({ offset: true }).transform(Date.parse),
      z.iso.date().transform(Date.parse),
    ],
    { error: 'must be a time such as 2026-02-03T14:05:00Z, or milliseconds since the Unix epoch' },
  ),
);

export function oneOf<const T extends string>(values: readonly T[]) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

/** @throws QueryError */
export function readQuery<S extends z.ZodObject>(schema: S, search: URLSearchParams): z.output<S> {
  const given = new Map<string, string[]>();
  for (const [name, text] of search) {
    // A form or a dashboard variable sends an empty value when nothing is chosen.
    if (text !== '') given.set(name, [...(given.get(name) ?? []), text]);
  }
  const result = schema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  const known = Object.keys(schema.shape).sort().join(', ');
  const sentences = result.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `unknown parameter ${issue.keys.join(', ')}; allowed are ${known}`
      : `${String(issue.path[0])} ${issue.message}`,
  );
  throw new QueryError(sentences.join('; '));
}

/** Whether a list of a query contains `value`. An empty list contains every value. */
export function includes(asked: readonly string[], value: string): boolean {
  return asked.length === 0 || asked.includes(value);
}

/** A list under its name, as JSON, made in many turns of the event loop. */
export async function listJson<T>(
  name: string,
  items: readonly T[],
  jsonOf: (item: T) => unknown,
): Promise<string> {
  const texts = await mapInTurns(items, (item) => JSON.stringify(jsonOf(item)));
  return `${JSON.stringify(name)}:[${texts.join(',')}]`;
}
