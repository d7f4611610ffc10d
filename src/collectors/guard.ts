/**
 * A function that returns only values of a kind.
 *
 * @throws Error from this function for another value; this is a bug of the program
 */
export function guard<Wide, Narrow extends Wide>(
  kind: string,
  is: (value: Wide) => value is Narrow,
) {
  return (value: Wide): Narrow => {
    if (is(value)) return value;
    throw new Error(`the collector ${kind} was given something of another kind`);
  };
}
