/**
 * Calls an operation of a service, with as many attempts as the retry rules allow. The collectors' polls and the fetch
 * of credentials of a role call it. An attempt: get credentials, wait for a permit of the rate limit, sign, send, read
 * the answer. If it fails, `retry.ts` says whether and when another follows.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../model/clock.ts';
import { CodedError } from '../model/coded-error.ts';
import type { PollContext } from '../model/poll-outcome.ts';
import { unlessAborted } from '../model/async.ts';
import type { Credentials, CredentialsProvider } from './credentials.ts';
import type { ApiObserver } from './observer.ts';
import type { RateFeedback, RateLimits } from './rate-limit.ts';
import {
  endpointOf,
  toWireRequest,
  type ServiceRequest,
  type SignatureMethod,
  type Site,
} from './request.ts';
import { parseEnvelope, type ServiceResponse } from './response.ts';
import { retryDelayMs, retryRule, type FailedAttempt } from './retry.ts';
import { ServiceClock } from './service-clock.ts';
import type { Transport } from './transport.ts';

/** The settings of an account for its calls, from the configuration that is in force. */
export interface CallSettings {
  /** The configured name of the account. */
  readonly account: string;
  /** A base URL, which may contain `{service}` and `{region}`. `null`: that of the site. */
  readonly endpoint: string | null;
  readonly site: Site;
  readonly signature: SignatureMethod;
  /** If a reload replaces it, an attempt that could not get credentials from the old one begins again. */
  readonly credentials: CredentialsProvider;
  /** Names who signs. Calls with one identity share their rate limits. */
  readonly identity: string;
  /** Maximum duration of one attempt, from its connection to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Maximum number of attempts of one call, with the first one. Throttled attempts do not count. */
  readonly maxAttempts: number;
}

/** The parts that all calls of the process share. The composition root passes them in. */
export interface CallTools {
  readonly clock: Clock;
  /** A number from 0 (inclusive) to 1 (exclusive), as `Math.random`. */
  readonly random: () => number;
  readonly observer: Partial<ApiObserver>;
  readonly transport: Transport;
  readonly rateLimits: RateLimits;
  /** Names the program and its version to the service, such as `cvm-quota-monitor/1.2.3`. */
  readonly userAgent: string;
}

/** The calls of one account. */
export type AccountCalls = ReturnType<typeof createCalls>;

/**
 * Creates the calls of one account, with a {@link ServiceClock} of their own.
 *
 * @param current gives the present settings. It is called at each attempt, so a reload counts for the next one
 */
export function createCalls(current: () => CallSettings, tools: CallTools) {
  const { clock, observer, random } = tools;
  const serviceClock = new ServiceClock();
  /**
   * Makes one call, and returns what `read` returns.
   *
   * @param context the deadline and the signal of the poll. The deadline bounds only retries
   * @param read reads the result from an answer. Throws CodedError `InvalidResponse`
   * @throws CodedError of the last attempt, or any error once the signal has aborted
   */
  const call = async <T>(
    request: ServiceRequest,
    read: Question<T>['read'],
    context: PollContext,
  ): Promise<T> => {
    const { deadlineMs, signal } = context;
    const failed: FailedAttempt[] = [];
    for (;;) {
      const settings = current();
      const { account, credentials, maxAttempts } = settings;
      let outcome: AttemptOutcome<T>;
      try {
        const caller = { settings, serviceClock, tools };
        const previous = failed.at(-1)?.failure ?? null;
        outcome = await attemptOnce(caller, { request, read }, context, previous);
      } catch (error) {
        // A reload may have ended the fetch of credentials that the attempt waited for.
        if (signal.aborted || current().credentials === credentials) throw error;
        continue;
      }
      if ('result' in outcome) return outcome.result;
      const { failure, signedWith } = outcome;
      failed.push({ failure, atMs: performance.now() });
      const delayMs = retryDelayMs(failed, maxAttempts, deadlineMs - clock.now(), random());
      const mustRenew = retryRule(failure.retryCode) === 'renew';
      // Also if no attempt is left: the next call needs other credentials.
      const renewing = mustRenew && signedWith !== null && credentials.renew(signedWith);
      if (delayMs === null || (mustRenew && !(await renewing))) throw failure;
      observer.retried?.({ account, operation: request.action, code: failure.code });
      // An abort ends the sleep. The next line throws its reason.
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
  };
  return { call, serviceClock };
}

/** Who makes an attempt: the present settings of an account, and what its calls share. */
interface Caller {
  readonly settings: CallSettings;
  readonly serviceClock: ServiceClock;
  readonly tools: CallTools;
}

/** The request of a call, and the reader of its answer. */
interface Question<T> {
  readonly request: ServiceRequest;
  /** Reads the result from an answer. Throws CodedError `InvalidResponse`. */
  readonly read: (response: ServiceResponse) => T;
}

type AttemptOutcome<T> =
  | { readonly result: T }
  /** `signedWith` is `null` for a request without a signature. */
  | { readonly failure: CodedError; readonly signedWith: Credentials | null };

/**
 * Waits for credentials and for a permit, signs, sends, and reads the answer.
 *
 * @param previous the failure of the attempt before, which is thrown if the permit comes after the deadline. `null` for
 *   a first attempt: the deadline does not bound it
 * @returns the result, or the failure of a request that was sent
 * @throws CodedError without credentials, and any error once the signal has aborted
 */
async function attemptOnce<T>(
  { settings, serviceClock, tools }: Caller,
  { request, read }: Question<T>,
  { beforeSend, deadlineMs, signal }: PollContext,
  previous: CodedError | null,
): Promise<AttemptOutcome<T>> {
  const { account, credentials } = settings;
  const { clock, observer, transport } = tools;
  const operation = request.action;
  const url = endpointOf(settings.endpoint, settings.site, request);
  // First the credentials: an attempt without any takes no permit.
  await unlessAborted(credentials.get(), signal);
  const askedMs = clock.now();
  const limit = tools.rateLimits.of(settings.identity, operation, url.host);
  const permit = await limit.acquire(signal);
  const startedMs = clock.now();
  let feedback: RateFeedback = 'unknown';
  try {
    if (previous !== null && startedMs > deadlineMs) throw previous;
    // Again, because the credentials may have expired during the wait.
    const signedWith = await unlessAborted(credentials.get(), signal);
    const { correctionMs } = serviceClock;
    const wire = toWireRequest(request, signedWith, {
      method: settings.signature,
      host: url.host,
      timestampSeconds: Math.floor((clock.now() + correctionMs) / 1_000),
      nonce: 1 + Math.floor(tools.random() * 0x7fff_ffff),
      userAgent: tools.userAgent,
    });
    const onWrite = () => {
      beforeSend?.();
      permit.written();
    };
    const outcome = await transport
      .send(url, wire, { timeoutMs: settings.timeoutMs, signal, onWrite })
      .then(({ body, date, status }) => {
        serviceClock.observeDate(date, clock.now());
        if (status === 200) return { result: read(parseEnvelope(body)) };
        throw new CodedError('HttpStatus', `the endpoint answered with HTTP status ${status}`);
      })
      .catch((error: unknown) => {
        if (signal.aborted || !(error instanceof CodedError)) throw error;
        return { failure: error, signedWith };
      });
    const failure = 'failure' in outcome ? outcome.failure : null;
    feedback = feedbackOf(failure);
    observer.requestFinished?.({
      account,
      operation,
      waitMs: Math.max(0, startedMs - askedMs),
      durationMs: Math.max(0, clock.now() - startedMs),
      code: failure?.code ?? null,
    });
    const isExpired = failure?.code === 'AuthFailure.SignatureExpire';
    if (isExpired && serviceClock.correct(correctionMs)) {
      observer.clockCorrected?.({ account, correctionMs: serviceClock.correctionMs });
    }
    return outcome;
  } finally {
    permit.ended(feedback);
  }
}

/**
 * What the end of a request says about the rate. An error with a request ID is of the service, not of a gateway before
 * it.
 */
function feedbackOf(failure: CodedError | null): RateFeedback {
  if (failure === null) return 'answered';
  if (retryRule(failure.retryCode) === 'throttle') return 'throttled';
  return failure.requestId === null ? 'unknown' : 'answered';
}
