/**
 * What schemas and readers need for values of unknown form: `isMap`, `memberOf`; and `always`, with which a schema checks
 * a map even while its keys have mistakes, so that all mistakes of a file are reported at once.
 */

/** True for an object that is no array. Instances of classes count, too. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member of a map or list. `undefined` for any other value. */
export function memberOf(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/**
 * The parameters of `superRefine` for a check of a map that also runs while keys of the map have mistakes. Such a key can
 * have any value, as it is in the file: the check must accept anything there.
 */
export const always = { when: ({ value }: { readonly value: unknown }) => isMap(value) };
