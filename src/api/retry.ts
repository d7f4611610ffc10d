/** Decides whether and when a failed request is tried again. `call.ts` asks after each failed attempt. */
import type { CodedError } from '../model/coded-error.ts';

/**
 * `retry`: retries while attempts are left. `resign`: retries once, with a new signature. `renew`: retries once, if there
 * are other credentials than the refused ones. `throttle`: retries until the deadline, and for at most a minute.
 */
export type RetryRule = 'retry' | 'resign' | 'renew' | 'throttle' | 'never';

/**
 * The retry code of an answer with status 200 that is not JSON: an incomplete answer, or the page of a
 * gateway. It fails as `InvalidResponse`, and is retried like a broken connection.
 */
export const unparsable = 'InvalidResponse.Unparsable';

/**
 * The rules by code (docs/service.md, section 9). One that ends in `*` applies to the code and its sub-codes, which only
 * say where the service failed. Other sub-codes, such as `ResourceUnavailable.InstanceType`, are answers.
 */
const rules: ReadonlyMap<string, RetryRule> = new Map<string, RetryRule>([
  ['RequestLimitExceeded*', 'throttle'],
  ['InternalError*', 'retry'],
  ['InternalServerError*', 'retry'],
  ['ServiceUnavailable*', 'retry'],
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
  return rules.get(code) ?? rules.get(`${family}*`) ?? 'never';
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
 * @param refusals how often the call was throttled, from 1
 * @param random from 0 to 1
 */
export function throttleBackoffMs(refusals: number, random: number): number {
  return Math.min(maxThrottleMs, minThrottleMs * 2 ** (refusals - 1) * (1 + random / 2));
}

/** The failed attempts of one call. */
export class FailedAttempts {
  #last: CodedError | null = null;
  /** When each throttled attempt ended, on the monotonic clock. */
  readonly #throttledAtMs: number[] = [];
  /** The retry codes of the attempts that were not throttled. */
  readonly #codes: string[] = [];

  /** The failure that was added last. */
  get last(): CodedError | null {
    return this.#last;
  }

  /**
   * @param nowMs on the monotonic clock
   * @returns the rule for the failure
   */
  add(failure: CodedError, nowMs: number): RetryRule {
    const { retryCode: code } = failure;
    const rule = retryRule(code);
    this.#last = failure;
    if (rule === 'throttle') this.#throttledAtMs.push(nowMs);
    else this.#codes.push(code);
    return rule;
  }

  /**
   * The delay between the failure that was added last and the next attempt, in milliseconds. `null` when there must be
   * no further attempt.
   *
   * @param maxAttempts with the first one. Throttled attempts do not count
   * @param leftMs the time until the deadline; the delay is never longer
   * @param random from 0 to 1
   */
  retryDelayMs(maxAttempts: number, leftMs: number, random: number): number | null {
    const code = this.#last?.retryCode ?? '';
    const rule = retryRule(code);
    if (rule === 'throttle') {
      const delayMs = throttleBackoffMs(this.#throttledAtMs.length, random);
      const forMs = (this.#throttledAtMs.at(-1) ?? 0) - (this.#throttledAtMs[0] ?? 0);
      return delayMs > Math.min(leftMs, maxThrottledMs - forMs) ? null : delayMs;
    }
    const isOnce = rule === 'resign' || rule === 'renew';
    const isRepeated = this.#codes.indexOf(code) < this.#codes.length - 1;
    if (rule === 'never' || (isOnce && isRepeated)) return null;
    const attempts = this.#codes.length;
    const delayMs = backoffMs(attempts, random);
    return attempts >= maxAttempts || delayMs > leftMs ? null : delayMs;
  }
}
