/** Remembers the result for the last arguments: the function is called again only for others. */
export function forLast<Input extends readonly unknown[], Result>(
  call: (...input: Input) => Result,
): (...input: Input) => Result {
  let last: { readonly input: Input; readonly result: Result } | null = null;
  return (...input) => {
    if (last === null || last.input.some((value, i) => value !== input[i])) {
      last = { input, result: call(...input) };
    }
    return last.result;
  };
}
