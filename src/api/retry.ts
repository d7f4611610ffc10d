/** Decides whether and when a failed request is tried again. `call.ts` asks after each failed attempt. Pure. */
import type { CodedError } from '../model/coded-error.ts';

/**
 * What follows a failure. In each case, no retry begins after the deadline of the call.
 *
 * - `retry`: retries while attempts are left.
 * - `resign`: the same, but once for each code, with a new signature.
 * - `renew`: the same, but once for each code, if there are other credentials than the refused ones.
 * - `throttle`: retries for at most a minute, however many attempts that takes.
 * - `never`: the call fails.
 */
export type RetryRule = 'retry' | 'resign' | 'renew' | 'throttle' | 'never';

/**
 * The `retryCode` of the error of an answer with status 200 that is not JSON: an incomplete answer, or the page of a
 * gateway. Its `code` is `InvalidResponse`, which would not be retried.
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

/** The rule for the retry code of an error: `never` for a code that is not in the table. */
export function retryRule(code: string): RetryRule {
  const [family = code] = code.split('.', 1);
  return rules.get(code) ?? rules.get(`${family}*`) ?? 'never';
}

const baseDelayMs = 250;
const maxDelayMs = 10_000;

/** The service counts in whole seconds. An earlier retry would be in the same second. */
const minThrottleMs = 1_000;
const maxThrottleMs = 8_000;
/** How long one request is retried while the service throttles it. */
const maxThrottledMs = 60_000;

/** An attempt of a call that failed. */
export interface FailedAttempt {
  readonly failure: CodedError;
  /** When it ended, on the monotonic clock. */
  readonly atMs: number;
}

/**
 * The delay between the last failed attempt of a call and the next one, in milliseconds. It is an exponential backoff
 * with full jitter: between 0 and 250 ms doubled with each attempt, at most 10 s. After a refusal by the service's rate
 * limit, it is 1 to 1.5 s, doubled with each refusal, at most 8 s.
 *
 * @param failed all failed attempts of the call, at least one, in their order
 * @param maxAttempts maximum number of attempts, with the first one. Throttled attempts do not count
 * @param untilDeadlineMs the time until the deadline of the call. A delay that is longer is none
 * @param random from 0 to 1
 * @returns `null`: there must be no further attempt
 */
export function retryDelayMs(
  failed: readonly FailedAttempt[],
  maxAttempts: number,
  untilDeadlineMs: number,
  random: number,
): number | null {
  const code = failed.at(-1)?.failure.retryCode ?? '';
  const rule = retryRule(code);
  const throttled = failed.filter((each) => retryRule(each.failure.retryCode) === 'throttle');
  if (rule === 'throttle') {
    const doubledMs = minThrottleMs * 2 ** (throttled.length - 1);
    const delayMs = Math.min(maxThrottleMs, doubledMs * (1 + random / 2));
    const throttledMs = (throttled.at(-1)?.atMs ?? 0) - (throttled[0]?.atMs ?? 0);
    return delayMs > Math.min(untilDeadlineMs, maxThrottledMs - throttledMs) ? null : delayMs;
  }
  const isOnce = rule === 'resign' || rule === 'renew';
  const isRepeated = failed.slice(0, -1).some(({ failure }) => failure.retryCode === code);
  if (rule === 'never' || (isOnce && isRepeated)) return null;
  const attempts = failed.length - throttled.length;
  const delayMs = random * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempts - 1));
  return attempts >= maxAttempts || delayMs > untilDeadlineMs ? null : delayMs;
}
