import fc from 'fast-check';
import { expect, it } from 'vitest';
import { retryDelayMs, retryRule, unparsable } from '../../../src/api/retry.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import { rowsOf } from '../../support/rows.ts';

// test/unit/docs/service.test.ts has the documented ones.
it.each(
  rowsOf<[rule: string, codes: string[]]>('api', 'rules-of-codes').flatMap(([rule, codes]) =>
    codes.map((code) => [rule, code]),
  ),
)('the rule for a code is %s after %s', (rule, code) => {
  expect(retryRule(code)).toBe(rule);
});

/** Codes of failures of one call, and how many milliseconds after its start each came. */
type Failures = readonly (readonly [code: string, atMs: number])[];
const error: Failures = [['InternalError', 0]];

function delayAfter(failures: Failures, { maxAttempts = 4, leftMs = Infinity, random = 1 } = {}) {
  const failed = failures.map(([code, atMs]) => ({
    failure: new CodedError(code, 'failed'),
    atMs: 5_000 + atMs,
  }));
  return retryDelayMs(failed, maxAttempts, leftMs, random);
}

it.each([
  [1, 250],
  [2, 500],
  [3, 1000],
  [6, 8000],
  [7, 10_000],
  [1000, 10_000],
])('the backoff after attempt %i is anything up to %i ms', (attempt, mostMs) => {
  const failures = Array.from({ length: attempt }, () => error).flat();
  const delays = [0, 0.5, 1].map((random) => delayAfter(failures, { maxAttempts: 1001, random }));

  expect(delays).toEqual([0, mostMs / 2, mostMs]);
});

it.each([
  [1, 1_000, 1_500],
  [2, 2_000, 3_000],
  [3, 4_000, 6_000],
  [4, 8_000, 8_000],
  [1_000, 8_000, 8_000],
])(
  'the backoff of a throttled request after refusal %i is from %i to %i ms',
  (refusals, leastMs, mostMs) => {
    const refused: Failures = Array.from({ length: refusals }, () => ['RequestLimitExceeded', 0]);
    const delays = [0, 1].map((random) => delayAfter(refused, { random }));

    expect(delays).toEqual([leastMs, mostMs]);
  },
);

it('the delay before a retry goes by the retry code of a failure, not by its code', () => {
  const failure = new CodedError('InvalidResponse', 'no JSON', { retryCode: unparsable });

  expect(retryDelayMs([{ failure, atMs: 0 }], 4, Infinity, 1)).toBe(250);
});

type Bounds = Parameters<typeof delayAfter>[1];
it.each(rowsOf<[string, Failures, Bounds, number | null]>('api', 'delays-of-retries'))(
  'the delay before a retry %s',
  (_what, failures, bounds, delayMs) => {
    expect(delayAfter(failures, bounds)).toBe(delayMs);
  },
);

it('the delay before a retry never ends after the deadline nor exceeds the cap', () => {
  const calls = fc.record({
    attempts: fc.integer({ min: 1, max: 50 }),
    leftMs: fc.integer({ min: -100_000, max: 100_000 }),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
  });

  fc.assert(
    fc.property(calls, ({ attempts, leftMs, random }) => {
      const failures = Array.from({ length: attempts }, () => error).flat();
      const delayMs = delayAfter(failures, { maxAttempts: 100, leftMs, random });
      if (delayMs === null) return;
      expect(delayMs).toBeGreaterThanOrEqual(0);
      expect(delayMs).toBeLessThanOrEqual(10_000);
      expect(delayMs).toBeLessThanOrEqual(leftMs);
    }),
  );
});
