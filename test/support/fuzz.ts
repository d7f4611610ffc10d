/** Runs a property. The number of runs depends on the tier of the tests. The time is bounded. */
import fc from 'fast-check';

/** Much more than any of the tests needs. If a run takes longer, the input is too slow to read. */
const timeLimitMs = 240_000;

/**
 * The tiers that make a share of the runs of a long fuzz test: `npm test` ends in two minutes, a mutation
 * run makes each test for many mutants, and the gate makes all runs beside `further`.
 */
const shortTiers: ReadonlySet<string> = new Set(['quick', 'further', 'mutation']);
const quickShare = 1 / 200;
const leastRuns = 50;

/** The number of runs in this tier, of `longRuns`. `.config/vitest.js` sets the tier. */
export function runsOfTier(longRuns: number): number {
  if (!shortTiers.has(process.env.TEST_TIER ?? '')) return longRuns;
  return Math.min(longRuns, Math.max(leastRuns, longRuns * quickShare));
}

/**
 * Checks random inputs. A failure names the seed and the smallest failing input.
 *
 * @param longRuns number of runs in all tiers except the short ones
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
