/**
 * What was made of objects that never change, such as the text of a record. It is made again when something else
 * that it depends on changes, and forgotten with its object.
 */
export class ObjectMemo<Value> {
  readonly #known = new WeakMap<object, { readonly basis: readonly unknown[]; value: Value }>();

  /** @param basis what the value depends on besides the object; compared one by one */
  of(object: object, basis: readonly unknown[], make: () => Value): Value {
    const known = this.#known.get(object);
    const isSame =
      known?.basis.length === basis.length && known.basis.every((each, i) => each === basis[i]);
    if (isSame) return known.value;
    const value = make();
    this.#known.set(object, { basis, value });
    return value;
  }
}

/** A function that remembers its result for an object, until it is called with other arguments beside it. */
export function memoizePerObject<Key extends object, Basis extends readonly unknown[], Value>(
  call: (object: Key, ...basis: Basis) => Value,
): (object: Key, ...basis: Basis) => Value {
  const known = new ObjectMemo<Value>();
  return (object, ...basis) => known.of(object, basis, () => call(object, ...basis));
}
