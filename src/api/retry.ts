/** Decides whether and when a failed request is tried again. Only this file decides it. Pure. */

/**
 * `resign`: retries once, with a new signature. `renew`: retries once, if there are other credentials than the
 * refused ones. `throttle`: retries after a pause of the account's requests, until the deadline and for at
 * most a minute.
 */
type RetryRule = 'retry' | 'resign' | 'renew' | 'throttle' | 'never';

/**
 * The retry code of an answer with status 200 that is not JSON: an incomplete answer, or the page of a
 * gateway. It fails as `InvalidResponse`, and is retried like a broken connection.
 */
export const unparsable = 'InvalidResponse.Unparsable';

/** The rules by code. A rule for the first word of a code applies to its whole family (docs/service.md, section 9). */
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
  ['AuthFailure.SignatureExpire', 'resign'],
  ['AuthFailure.TokenFailure', 'renew'],
  ['AuthFailure.SecretIdNotFound', 'renew'],
  ['AuthFailure.SignatureFailure', 'renew'],
]);

/** The rule for the retry code of an error. A code that is not in the table is never retried. */
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

/** Whether a throttled request means that requests of other operations would be throttled too. */
export function throttlesEveryOperation(code: string): boolean {
  return countedForAll.has(code);
}

/** The service counts in whole seconds. An earlier retry would be in the same second. */
const minThrottleMs = 1_000;
const throttleJitterMs = 500;
/** How long one request is retried while the service throttles it. */
const maxThrottledMs = 60_000;

/**
 * How long an account sends nothing after the service throttled it: 1 to 1.5 s.
 *
 * @param random from 0 to 1
 */
export function throttlePauseMs(random: number): number {
  return minThrottleMs + random * throttleJitterMs;
}

/** A failed attempt, and the bounds of further ones. */
export interface FailedAttempt {
  /** The error's retry code. */
  readonly code: string;
  /** The number of the attempt, from 1. Throttled attempts do not count. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Whether the signature or the credentials were already renewed once after the same code. */
  readonly renewed: boolean;
  /** The time since the request was throttled first. 0 when this is the first time. */
  readonly throttledForMs: number;
  readonly nowMs: number;
  readonly deadlineMs: number;
  /** From 0 to 1. */
  readonly random: number;
}

/** The delay before the next attempt in milliseconds. `null` when there must be no further attempt. */
export function retryDelayMs(failed: FailedAttempt): number | null {
  const rule = retryRule(failed.code);
  if (rule === 'throttle') return throttleDelayMs(failed);
  const isOnce = rule === 'resign' || rule === 'renew';
  if (rule === 'never' || (isOnce && failed.renewed)) return null;
  if (failed.attempt >= failed.maxAttempts) return null;
  const delayMs = backoffMs(failed.attempt, failed.random);
  return failed.nowMs + delayMs > failed.deadlineMs ? null : delayMs;
}

/** No delay here: the rate limit delays the requests of the account, see {@link throttlePauseMs}. */
function throttleDelayMs({ nowMs, deadlineMs, throttledForMs }: FailedAttempt): number | null {
  const leftMs = Math.min(deadlineMs - nowMs, maxThrottledMs - throttledForMs);
  return leftMs < minThrottleMs ? null : 0;
}
