/** Remembers the result for the last argument: the function is called again only for another one. */
export function forLast<A, R>(call: (argument: A) => R): (argument: A) => R {
  let last: { readonly argument: A; readonly result: R } | null = null;
  return (argument) => {
    if (last === null || last.argument !== argument) last = { argument, result: call(argument) };
    return last.result;
  };
}
