/**
 * The parts that the schemas of a scenario are built from: texts of a form, times, lists without repetitions, and the
 * overrides of a row. Durations stay text and names stay in snake_case, so the state of the emulator is a scenario again.
 */
import { z } from 'zod';

/** A text that matches a pattern. The message of a mistake is `expected`, then `what`. */
export function matching(pattern: RegExp, what: string) {
  const error = `expected ${what}`;
  return z.string({ error }).regex(pattern, { error });
}

/** One of several values. The first is the default. */
export function choice<const T extends readonly [string, ...string[]]>(values: T, what: string) {
  return z.enum(values).default(values[0]).describe(what);
}

/** A value that may be absent, with its description. */
export function optional<S extends z.ZodType>(schema: S, what: string) {
  return schema.optional().describe(what);
}

/** A list that is empty when absent. */
export function listOf<S extends z.ZodType>(element: S, what: string) {
  return z.array(element).default([]).describe(what);
}

/** A time in whole seconds, as scenarios and answers have it: `2020-12-17T01:54:31Z`. */
export function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The most levels of maps and lists in fields of any content. More could overflow the stack, as in `JSON.stringify`. */
const maxDepth = 32;

/** True when maps and lists have more than this many levels. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Fields of any content, of at most 32 levels. */
export const anyFields = z
  .record(z.string(), z.unknown())
  .refine((fields) => !isDeeper(fields, maxDepth), { error: 'is nested too deeply' });

/** The keys by which an object of the scenario changes its row in answers, for tests of unusual answers. */
const rowOverrides = {
  omit: z
    .union([z.literal('all'), z.array(matching(/^[A-Za-z0-9]+$/, 'a field such as CreationTime'))])
    .optional()
    .describe('fields that are left out of its row in answers; `all` for every field'),
  fields: optional(anyFields, 'fields of its row in answers, with the values that they have there'),
};
export type RowOverrides = Readonly<z.output<z.ZodObject<typeof rowOverrides>>>;

/** An object of a scenario that is a row in answers: its own keys, and {@link rowOverrides}. */
export function rowObject<S extends z.ZodRawShape>(keys: S) {
  return z.strictObject({ ...keys, ...rowOverrides });
}

/** A list in which no two elements have the same value of `key`. Empty when absent. */
export function uniqueList<K extends string, S extends z.ZodType<Readonly<Record<K, string>>>>(
  element: S,
  key: K,
  what: string,
) {
  const isUnique = refuseRepeated<z.output<S>>((row) => row[key]);
  return z.array(element).superRefine(isUnique).prefault([]).describe(what);
}

/** A refinement that reports each element whose key an earlier element has. */
export function refuseRepeated<T>(keyOf: (element: T) => string | number) {
  return (elements: readonly T[], context: z.RefinementCtx): void => {
    const keys = elements.map(keyOf);
    for (const [index, key] of keys.entries()) {
      if (keys.indexOf(key) < index) addIssue(context, [index], `${key} appears twice`);
    }
  };
}

/** The keys and indices that lead to a part of a value. */
export type Path = readonly (string | number)[];

/** Reports a mistake at a path of the value that a refinement checks. */
export function addIssue(context: z.RefinementCtx, path: Path, message: string): void {
  context.addIssue({ code: 'custom', path: [...path], message });
}

/** The tags of an object by key. Empty when absent. */
export const tags = z.record(z.string(), z.string()).default({});
