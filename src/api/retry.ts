/** Decides whether and when a failed request is tried again. Only this file decides it. Pure. */

/**
 * `resign`: retries once, with a new signature. `renew`: retries once, if there are other credentials than the
 * refused ones. `throttle`: retries until the deadline, and for at most a minute.
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

/** The service counts in whole seconds. An earlier retry would be in the same second. */
const minThrottleMs = 1_000;
const maxThrottleMs = 8_000;
/** How long one request is retried while the service throttles it. */
const maxThrottledMs = 60_000;

/**
 * The delay after a refusal by the service's rate limit: 1 to 1.5 s, doubled with each refusal, at most 8 s.
 *
 * @param refusals how often the request was refused, from 1
 * @param random from 0 to 1
 */
export function throttleBackoffMs(refusals: number, random: number): number {
  return Math.min(maxThrottleMs, minThrottleMs * 2 ** (refusals - 1) * (1 + random / 2));
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
  /** How often the request was throttled, with this time. */
  readonly refusals: number;
  /** The time since the request was throttled first. 0 when this is the first time. */
  readonly throttledForMs: number;
  readonly nowMs: number;
  readonly deadlineMs: number;
  /** From 0 to 1. */
  readonly random: number;
}

/** The delay before the next attempt in milliseconds. `null` when there must be no further attempt. */
export function retryDelayMs(failed: FailedAttempt): number | null {
  const { attempt, deadlineMs, maxAttempts, nowMs, random, refusals, renewed } = failed;
  const rule = retryRule(failed.code);
  if (rule === 'throttle') {
    const delayMs = throttleBackoffMs(refusals, random);
    const leftMs = Math.min(deadlineMs - nowMs, maxThrottledMs - failed.throttledForMs);
    return delayMs > leftMs ? null : delayMs;
  }
  const isOnce = rule === 'resign' || rule === 'renew';
  if (rule === 'never' || (isOnce && renewed) || attempt >= maxAttempts) return null;
  const delayMs = backoffMs(attempt, random);
  return nowMs + delayMs > deadlineMs ? null : delayMs;
}
