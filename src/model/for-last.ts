/** Remembers the result for the last arguments: the function is called again only for others. */
export function forLast<Input extends readonly unknown[], Result>(
  call: (...input: Input) => Result,
): (...input: Input) => Result {
  let last: { readonly input: Input; readonly result: Result } | null = null;
  return (...input) => {
    let isSame = last !== null;
    for (let i = 0; i < input.length; i += 1) isSame &&= input[i] === last?.input[i];
    if (last === null || !isSame) last = { input, result: call(...input) };
    return last.result;
  };
}
