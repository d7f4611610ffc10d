/** Runs a property as often as the tier of the tests asks for, and within a bound of time. */
import fc from 'fast-check';

/** Far above what any of the tests needs; beyond it an input takes the reader too long. */
const timeLimitMs = 240_000;

/** The quick tier is to end in two minutes: of the runs of a long fuzz test it makes this share. */
const quickShare = 1 / 50;
const leastRuns = 100;

/** How many of `longRuns` this tier makes. `.config/vitest.js` sets the tier. */
export function runsOfTier(longRuns: number): number {
  if (process.env.TEST_TIER !== 'quick') return longRuns;
  return Math.min(longRuns, Math.max(leastRuns, longRuns * quickShare));
}

/**
 * Checks every input. A failure names the seed and the smallest input that was found to fail.
 *
 * @param longRuns runs outside of the quick tier
 */
export function fuzz<T>(
  inputs: fc.Arbitrary<T>,
  longRuns: number,
  check: (input: T) => void | Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(inputs, async (input) => check(input));
  const bound = fc.interruptAfterTimeLimit(timeLimitMs, { failOnInterrupt: true });
  return fc.assert(property, { numRuns: runsOfTier(longRuns), plugins: [bound] });
}

/** For tests of {@link fuzz}. */
export const fuzzTimeoutMs = timeLimitMs + 60_000;
