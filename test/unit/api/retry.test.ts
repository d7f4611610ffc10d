import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backoffMs, retryDelayMs, retryRule, throttleBackoffMs } from '../../../src/api/retry.ts';

it.each([
  ...['InternalError', 'InternalServerError', 'ServiceUnavailable'],
  ...['ResourceInUse', 'ResourceUnavailable', 'NetworkError', 'Timeout', 'HttpStatus'],
  'InvalidResponse.Unparsable',
])('the rule for a code is to retry after %s', (code) => {
  expect(retryRule(code)).toBe('retry');
});

it.each([
  'RequestLimitExceeded',
  'RequestLimitExceeded.UinLimitExceeded',
  'RequestLimitExceeded.GlobalRegionUinLimitExceeded',
  'RequestLimitExceeded.IPLimitExceeded',
])('the rule for a code is to slow down after %s', (code) => {
  expect(retryRule(code)).toBe('throttle');
});

it('the rule for a code is to sign again after AuthFailure.SignatureExpire', () => {
  expect(retryRule('AuthFailure.SignatureExpire')).toBe('resign');
});

it.each([
  'AuthFailure.TokenFailure',
  'AuthFailure.SecretIdNotFound',
  'AuthFailure.SignatureFailure',
])('the rule for a code is to renew the credentials after %s', (code) => {
  expect(retryRule(code)).toBe('renew');
});

it.each([
  ...['ActionOffline', 'AuthFailure', 'AuthFailure.InvalidAuthorization'],
  ...['AuthFailure.InvalidSecretId', 'AuthFailure.MFAFailure'],
  'AuthFailure.UnauthorizedOperation',
  ...['UnauthorizedOperation', 'UnauthorizedOperation.MFAExpired', 'InvalidAction'],
  ...['InvalidParameter', 'InvalidParameterCombination', 'InvalidParameterValue.Range'],
  ...['InvalidFilter', 'InvalidFilterValue.LimitExceeded', 'InvalidZone.MismatchRegion'],
  ...['InvalidRequest', 'IpInBlacklist', 'IpNotInWhitelist', 'LimitExceeded'],
  ...['MissingParameter', 'NoSuchProduct', 'NoSuchVersion', 'RequestSizeLimitExceeded'],
  ...['ResponseSizeLimitExceeded', 'ResourceInsufficient', 'ResourceNotFound'],
  ...['UnknownParameter', 'UnsupportedOperation', 'UnsupportedProtocol', 'UnsupportedRegion'],
  ...['InvalidResponse', 'Credentials', 'Other', 'SomethingNew'],
])('the rule for a code is never to retry after %s', (code) => {
  expect(retryRule(code)).toBe('never');
});

it.each([
  [1, 250],
  [2, 500],
  [3, 1000],
  [6, 8000],
  [7, 10_000],
  [1000, 10_000],
])('the backoff after attempt %i is anything up to %i ms', (attempt, mostMs) => {
  expect(backoffMs(attempt, 0)).toBe(0);
  expect(backoffMs(attempt, 0.5)).toBe(mostMs / 2);
  expect(backoffMs(attempt, 1)).toBe(mostMs);
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
    expect(throttleBackoffMs(refusals, 0)).toBe(leastMs);
    expect(throttleBackoffMs(refusals, 1)).toBe(mostMs);
  },
);

const failed = {
  code: 'InternalError',
  attempt: 1,
  maxAttempts: 4,
  renewed: false,
  refusals: 1,
  throttledForMs: 0,
  nowMs: 1000,
  deadlineMs: 1250,
  random: 1,
};

it('the delay before a retry may end at the deadline', () => {
  expect(retryDelayMs(failed)).toBe(250);
});

it.each([
  ['it would end after the deadline', { deadlineMs: 1249 }],
  ['the attempts are used up', { attempt: 4, deadlineMs: Infinity }],
  ['the code is not for retrying', { code: 'InvalidParameter' }],
  ['a renewal did not help', { code: 'AuthFailure.TokenFailure', renewed: true }],
  ['another signature did not help', { code: 'AuthFailure.SignatureExpire', renewed: true }],
])('the delay before a retry does not exist when %s', (_why, change) => {
  expect(retryDelayMs({ ...failed, ...change })).toBeNull();
});

it.each([
  ['a cycle that has time left', { deadlineMs: 2_500 }, 1_500],
  ['a cycle that ends before', { deadlineMs: 2_499 }, null],
  ['no deadline, after most of a minute', { deadlineMs: Infinity, throttledForMs: 58_500 }, 1_500],
  ['no deadline, after a minute', { deadlineMs: Infinity, throttledForMs: 58_501 }, null],
  ['attempts that are used up', { deadlineMs: Infinity, attempt: 4 }, 1_500],
  ['more refusals', { deadlineMs: Infinity, refusals: 3 }, 6_000],
])(
  'the delay before a retry is that of throttled requests while the service throttles, with %s',
  (_when, change, delayMs) => {
    expect(retryDelayMs({ ...failed, code: 'RequestLimitExceeded', ...change })).toBe(delayMs);
  },
);

it('the delay before a retry exists again for a failure of the service', () => {
  expect(retryDelayMs({ ...failed, renewed: true })).toBe(250);
});

it('the delay before a retry exists once for credentials that expired', () => {
  expect(retryDelayMs({ ...failed, code: 'AuthFailure.TokenFailure' })).toBe(250);
});

it('the delay before a retry never ends after the deadline nor exceeds the cap', () => {
  const bounds = {
    attempt: fc.integer({ min: 1, max: 50 }),
    nowMs: fc.integer({ min: 0, max: 100_000 }),
    deadlineMs: fc.integer({ min: 0, max: 100_000 }),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
  };

  fc.assert(
    fc.property(fc.record(bounds), (bound) => {
      const delayMs = retryDelayMs({ ...failed, maxAttempts: 100, ...bound });
      if (delayMs === null) return;
      expect(delayMs).toBeGreaterThanOrEqual(0);
      expect(delayMs).toBeLessThanOrEqual(10_000);
      expect(bound.nowMs + delayMs).toBeLessThanOrEqual(bound.deadlineMs);
    }),
  );
});
