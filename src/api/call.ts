/** Calls an operation of a service, with as many attempts as the rate limit and the retry rules allow. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  attemptOnce,
  type AttemptOutcome,
  type CallContext,
  type CallSettings,
  type CallTools,
} from './attempt.ts';
import type { ServiceRequest } from './request.ts';
import type { ServiceResponse } from './response.ts';
import { FailedAttempts } from './retry.ts';
import { ServiceClock } from './service-clock.ts';

/**
 * Makes one call, and returns what `read` returns.
 *
 * @param read reads the result from an answer. Throws CodedError `InvalidResponse`.
 * @throws CodedError of the last attempt, or any error once the signal has aborted
 */
export type ServiceCall = <T>(
  request: ServiceRequest,
  read: (response: ServiceResponse) => T,
  context: CallContext,
) => Promise<T>;

/** The calls of one account. */
export interface AccountCalls {
  readonly call: ServiceCall;
  readonly serviceClock: ServiceClock;
}

/** @param current gives the present settings. It is called at each attempt, so a reload counts for the next one */
export function createCalls(current: () => CallSettings, tools: CallTools): AccountCalls {
  const { clock, observer, random } = tools;
  const serviceClock = new ServiceClock();
  const call: ServiceCall = async (request, read, context) => {
    const { deadlineMs, signal } = context;
    /** Created with the first failure. */
    let failed: FailedAttempts | null = null;
    for (;;) {
      const settings = current();
      const { account, credentials, maxAttempts } = settings;
      let outcome: AttemptOutcome<ReturnType<typeof read>>;
      try {
        const caller = { settings, serviceClock, tools };
        outcome = await attemptOnce(caller, { request, read }, context, failed?.last ?? null);
      } catch (error) {
        // A reload may have ended the fetch of credentials that the attempt waited for.
        if (signal.aborted || current().credentials === credentials) throw error;
        continue;
      }
      if ('result' in outcome) return outcome.result;
      const { failure, signedWith } = outcome;

      failed ??= new FailedAttempts();
      const rule = failed.add(failure, performance.now());
      const delayMs = failed.retryDelayMs(maxAttempts, deadlineMs - clock.now(), random());
      // Also if no attempt is left: the next request needs other credentials.
      const renewing = rule === 'renew' && signedWith !== null && credentials.renew(signedWith);
      if (delayMs === null || (rule === 'renew' && !(await renewing))) throw failure;
      observer.retried({ account, operation: request.action, code: failure.code });
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
  };
  return { call, serviceClock };
}
