/** Whether and when a failed request is tried again: the one place that decides it. Pure. */

/**
 * `renew`: once, after the credentials were fetched and the request was signed again. `throttle`: after
 * a pause of the account's requests, for as long as the deadline allows and at most a minute.
 */
type RetryRule = 'retry' | 'renew' | 'throttle' | 'never';

/**
 * The retry code of an answer with status 200 that is no JSON: one that was cut off, or a gateway's page.
 * It fails as `InvalidResponse`, and is tried again like a broken connection.
 */
export const unparsable = 'InvalidResponse.Unparsable';

/** By code, or by a code's first word for its whole family (docs/service.md, section 9). */
const rules: ReadonlyMap<string, RetryRule> = new Map<string, RetryRule>([
  ['RequestLimitExceeded', 'throttle'],
  ['InternalError', 'retry'],
  ['InternalServerError', 'retry'],
  ['ServiceUnavailable', 'retry'],
  ['ResourceInUse', 'retry'],
  ['ResourceUnavailable', 'retry'],
  ['NetworkError', 'retry'],
  ['Timeout', 'retry'],
  ['HttpStatus', 'retry'],
  [unparsable, 'retry'],
  ['AuthFailure.SignatureExpire', 'renew'],
  ['AuthFailure.TokenFailure', 'renew'],
]);

/** The rule for the retry code of an error; one that is not in the table is never retried. */
export function retryRule(code: string): RetryRule {
  const [family = code] = code.split('.', 1);
  return rules.get(code) ?? rules.get(family) ?? 'never';
}

const baseDelayMs = 250;
const maxDelayMs = 10_000;

/**
 * Exponential backoff with full jitter: between 0 and 250 ms doubled with each attempt, at most 10 s.
 *
 * @param attempt how many attempts have failed, from 1
 * @param random from 0 to 1
 */
export function backoffMs(attempt: number, random: number): number {
  return random * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
}

/** Limits that count an account's requests of every operation together (docs/service.md, section 10). */
const countedForAll: ReadonlySet<string> = new Set([
  'RequestLimitExceeded.UinLimitExceeded',
  'RequestLimitExceeded.GlobalRegionUinLimitExceeded',
  'RequestLimitExceeded.IPLimitExceeded',
]);

/** Whether a throttled request says that requests of other operations would be throttled as well. */
export function throttlesEveryOperation(code: string): boolean {
  return countedForAll.has(code);
}

/** The service counts in whole seconds: an earlier request would fall into the same one. */
const minThrottleMs = 1_000;
const throttleJitterMs = 500;
/** How long one request is tried again while the service throttles it. */
const maxThrottledMs = 60_000;

/**
 * How long an account sends nothing after the service throttled it: 1 to 1.5 s.
 *
 * @param random from 0 to 1
 */
export function throttlePauseMs(random: number): number {
  return minThrottleMs + random * throttleJitterMs;
}

/** An attempt that failed, and what bounds those to come. */
export interface FailedAttempt {
  /** The error's retry code. */
  readonly code: string;
  /** Which attempt it was, from 1; those that were throttled do not count. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Credentials and signature were renewed once already after the same code. */
  readonly renewed: boolean;
  /** How long ago the request was throttled for the first time; 0 when it was not before. */
  readonly throttledForMs: number;
  readonly nowMs: number;
  readonly deadlineMs: number;
  /** From 0 to 1. */
  readonly random: number;
}

/** The delay before the next attempt in milliseconds, or `null` when there must be none. */
export function retryDelayMs(failed: FailedAttempt): number | null {
  const rule = retryRule(failed.code);
  if (rule === 'throttle') return throttleDelayMs(failed);
  if (rule === 'never' || (rule === 'renew' && failed.renewed)) return null;
  if (failed.attempt >= failed.maxAttempts) return null;
  const delayMs = backoffMs(failed.attempt, failed.random);
  return failed.nowMs + delayMs > failed.deadlineMs ? null : delayMs;
}

/** None of its own: the rate limit keeps the account's requests back, see {@link throttlePauseMs}. */
function throttleDelayMs({ nowMs, deadlineMs, throttledForMs }: FailedAttempt): number | null {
  const leftMs = Math.min(deadlineMs - nowMs, maxThrottledMs - throttledForMs);
  return leftMs < minThrottleMs ? null : 0;
}
