/** The words of which the schemas of stored records are made. The types of the model are inferred from the schemas. */
import { z } from 'zod';

/** What a schema reads, as data that does not change. */
export type Immutable<T> = { readonly [Key in keyof T]: Immutable<T[Key]> };
export type Stored<Schema extends z.ZodType> = Immutable<z.infer<Schema>>;

export const text = z.string();
export const count = z.int().nonnegative();
/** Milliseconds since the Unix epoch, in the range of a JavaScript date. */
export const timeMs = z.number().nonnegative().max(8.64e15);
/** Refuses a zone with an empty name: it would be shown as the whole region, and so twice. */
export const zoneOrNull = text.min(1).nullable();
export const labelMap = z.record(text, text);
