/** Calls an operation of the service: attempts, as the rate limit and the rules of retrying allow. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../model/coded-error.ts';
import { createAttempt, type ResponseReader } from './attempt.ts';
import type { PollContext } from '../model/poll-outcome.ts';
import type { ClientOptions } from './options.ts';
import { RateLimit, type Token } from './rate-limit.ts';
import type { ServiceRequest } from './request.ts';
import { retryDelayMs, retryRule } from './retry.ts';

/**
 * Makes one call.
 *
 * @throws CodedError of the last attempt, or any error once `signal` has aborted
 */
export type Caller = <T>(
  request: ServiceRequest,
  read: ResponseReader<T>,
  context: PollContext,
) => Promise<T>;

/** A caller for one account; its rate limits last as long as it does. */
export function createCaller(options: ClientOptions): Caller {
  const { account, clock, credentials, maxAttempts, observer } = options;
  const tryOnce = createAttempt(options);
  const takeToken = createRateLimits(options);

  return async (request, read, { signal, deadlineMs }) => {
    const { operation } = request;
    let failure: CodedError | null = null;
    let renewed = false;
    for (let attempt = 1; ; attempt += 1) {
      const token = await takeToken(operation, signal);
      if (failure !== null && clock.now() > deadlineMs) {
        token.cancel();
        throw failure;
      }
      try {
        return await tryOnce(request, read, { token, signal });
      } catch (error) {
        if (signal.aborted || !(error instanceof CodedError)) throw error;
        failure = error;
      }

      const { code, retryCode } = failure;
      const bounds = { maxAttempts, nowMs: clock.now(), deadlineMs, random: options.random() };
      const delayMs = retryDelayMs({ code: retryCode, attempt, renewed, ...bounds });
      if (delayMs === null) throw failure;
      if (retryRule(retryCode) === 'renew') {
        renewed = true;
        credentials.refresh();
      }
      observer.retried({ account, operation, code });
      await sleep(delayMs, undefined, { signal });
    }
  };
}

function createRateLimits(
  options: ClientOptions,
): (operation: string, signal: AbortSignal) => Promise<Token> {
  const { account, clock, observer, requestsPerSecond } = options;
  const limits = new Map<string, RateLimit>();
  return async (operation, signal) => {
    const startedMs = clock.now();
    const limit = limits.get(operation) ?? new RateLimit(requestsPerSecond);
    limits.set(operation, limit);
    const token = await limit.acquire(signal);
    const waitMs = clock.now() - startedMs;
    if (waitMs > 0) observer.rateLimitWaited({ account, operation, waitMs });
    return token;
  };
}
