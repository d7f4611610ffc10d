/**
 * Caches of one value: the latest only, while `basis` (what it was made from) is the same, compared one by one with `===`.
 * For what takes long to make and is asked for often, such as the text of a record.
 */
export class LastMemo<Value> {
  #last: { readonly basis: readonly unknown[]; readonly value: Value } | undefined;

  /** The value of `basis`. Calls `make` if the last call had another one. */
  of(basis: readonly unknown[], make: () => Value): Value {
    const last = this.#last;
    const isSame =
      last?.basis.length === basis.length && last.basis.every((part, i) => part === basis[i]);
    if (isSame) return last.value;
    const value = make();
    this.#last = { basis, value };
    return value;
  }
}

/** A {@link LastMemo} for each of many immutable objects, such as records. A value is forgotten with its object. */
export class ObjectMemo<Value> {
  readonly #memos = new WeakMap<object, LastMemo<Value>>();

  /** As {@link LastMemo.of}, for one object. @param basis what the value depends on besides the object */
  of(object: object, basis: readonly unknown[], make: () => Value): Value {
    let memo = this.#memos.get(object);
    if (memo === undefined) {
      memo = new LastMemo();
      this.#memos.set(object, memo);
    }
    return memo.of(basis, make);
  }
}

/** Remembers the result of the last call. A call with other arguments replaces it. */
export function memoizeLast<Basis extends readonly unknown[], Value>(
  call: (...basis: Basis) => Value,
): (...basis: Basis) => Value {
  const memo = new LastMemo<Value>();
  return (...basis) => memo.of(basis, () => call(...basis));
}

/** Remembers for each object the result of the last call with it. A call with other arguments beside it replaces it. */
export function memoizePerObject<Key extends object, Basis extends readonly unknown[], Value>(
  call: (object: Key, ...basis: Basis) => Value,
): (object: Key, ...basis: Basis) => Value {
  const memo = new ObjectMemo<Value>();
  return (object, ...basis) => memo.of(object, basis, () => call(object, ...basis));
}
