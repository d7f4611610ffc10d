/** Runs a property as often as a fuzz test promises to, and within a bound of time. */
import fc from 'fast-check';

/** Far above what any of the tests needs; beyond it an input takes the reader too long. */
const timeLimitMs = 240_000;

/** Checks every input. A failure names the seed and the smallest input that was found to fail. */
export function fuzz<T>(
  inputs: fc.Arbitrary<T>,
  numRuns: number,
  check: (input: T) => void | Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(inputs, async (input) => check(input));
  const interruption = { interruptAfterTimeLimit: timeLimitMs, markInterruptAsFailure: true };
  return fc.assert(property, { numRuns, ...interruption });
}

/** For tests of {@link fuzz}. */
export const fuzzTimeoutMs = timeLimitMs + 60_000;
