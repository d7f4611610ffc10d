import type { z } from 'zod';

/** Parses each object only once: a start plans all targets several times, with the same keys. */
export function parseOnce<Schema extends z.ZodObject>(schema: Schema) {
  const known = new WeakMap<object, z.output<Schema>>();
  return (value: object): z.output<Schema> => {
    const keys = known.get(value) ?? schema.parse(value);
    known.set(value, keys);
    return keys;
  };
}
