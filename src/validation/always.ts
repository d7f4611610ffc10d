/**
 * Reads values of any type; and the checks of a map that also run while its keys have mistakes, so that all mistakes of a
 * file are reported at once.
 */

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member of a map or list. `undefined` for any other value. */
export function memberOf(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/**
 * The parameters of `superRefine` for such a check. Where a key has a mistake, its value can be as it is in the file: the
 * check must accept anything there.
 */
export const always = { when: ({ value }: { readonly value: unknown }) => isMap(value) };
