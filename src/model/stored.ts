/**
 * The building blocks of the schemas of stored records, in the model and the collectors. Types are inferred from these
 * schemas. Collectors also read answers of the service with `text` and `count`.
 */
import { z } from 'zod';

/** Deep-readonly data. */
export type Immutable<T> = { readonly [Key in keyof T]: Immutable<T[Key]> };
/** The deep-readonly output of a schema. */
export type Stored<Schema extends z.ZodType> = Immutable<z.infer<Schema>>;

export const text = z.string();
export const count = z.int().nonnegative();
/** Milliseconds since the Unix epoch, in the range of a JavaScript date. */
export const timeMs = z.number().nonnegative().max(8.64e15);
/** `null` is the whole region. An empty name is refused: it would be shown as the whole region, and so twice. */
export const zoneOrNull = text.min(1).nullable();
export const labelMap = z.record(text, text);
