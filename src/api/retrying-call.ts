/** Calls an operation of the service, with as many attempts as the rate limit and the retry rules allow. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials, CredentialsProvider } from './credentials/credentials.ts';
import { CodedError } from '../model/coded-error.ts';
import type { PollContext } from '../model/poll-outcome.ts';
import { createHttpAttempt, type ResponseReader } from './http-attempt.ts';
import type { ClientOptions } from './options.ts';
import type { ServiceRequest } from './request.ts';
import { retryDelayMs, retryRule } from './retry.ts';
import type { ServiceClock } from './service-clock.ts';

/**
 * Makes one call.
 *
 * @throws CodedError of the last attempt, or any error once `signal` has aborted
 */
export type ServiceCall = <T>(
  request: ServiceRequest,
  read: ResponseReader<T>,
  context: PollContext,
) => Promise<T>;

/**
 * A retrying call for one account.
 *
 * @param current gives the present options; called at each attempt
 */
export function createRetryingCall(
  current: () => ClientOptions,
  serviceClock: ServiceClock,
): ServiceCall {
  const tryOnce = createHttpAttempt(current, serviceClock);

  return async (request, read, context) => {
    const { signal, deadlineMs } = context;
    const renewed: string[] = [];
    let failure: CodedError | null = null;
    let signedWith: Credentials | null = null;
    const onSigned = (used: Credentials | null) => {
      signedWith = used;
    };
    /** On the monotonic clock. */
    let throttledSinceMs: number | null = null;
    for (let attempt = 1; ;) {
      try {
        const hadTurn = failure !== null && retryRule(failure.code) === 'throttle';
        return await tryOnce(request, read, context, { previous: failure, hadTurn, onSigned });
      } catch (error) {
        // There was no time for the attempt, so the error is that of the last attempt.
        if (error === failure || signal.aborted || !(error instanceof CodedError)) throw error;
        failure = error;
      }

      const { code, retryCode } = failure;
      const { account, clock, credentials, maxAttempts, observer, random } = current();
      const rule = retryRule(retryCode);
      if (rule === 'throttle') throttledSinceMs ??= performance.now();
      const delayMs = retryDelayMs({
        code: retryCode,
        attempt,
        maxAttempts,
        renewed: renewed.includes(code),
        throttledForMs: performance.now() - (throttledSinceMs ?? performance.now()),
        nowMs: clock.now(),
        deadlineMs,
        random: random(),
      });
      if (delayMs === null) {
        // Renew even if no attempt is left: the next request needs other credentials.
        if (rule === 'renew') void isRotated(signedWith, credentials);
        throw failure;
      }
      if (rule === 'renew' && !(await isRotated(signedWith, credentials))) throw failure;
      if (rule !== 'throttle') attempt += 1;
      renewed.push(code);
      observer.retried({ account, operation: request.operation, code });
      await sleep(delayMs, undefined, { signal });
    }
  };
}

/** Whether there are other credentials than those that the service refused. */
async function isRotated(
  refused: Credentials | null,
  credentials: CredentialsProvider,
): Promise<boolean> {
  return refused !== null && (await credentials.refused(refused));
}
