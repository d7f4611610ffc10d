/** Calls an operation of a service, with as many attempts as the rate limit and the retry rules allow. */
import { setTimeout as sleep } from 'node:timers/promises';
import { unlessAborted } from '../model/unless-aborted.ts';
import type { Clock } from '../model/clock.ts';
import { CodedError } from '../model/coded-error.ts';
import type { PollContext } from '../model/poll-outcome.ts';
import type { Credentials, CredentialsProvider } from './credentials.ts';
import type { ApiObserver } from './observer.ts';
import type { RateLimits, Permit } from './rate-limit.ts';
import {
  endpointOf,
  wireRequest,
  type ServiceRequest,
  type SignatureMethod,
  type Site,
} from './request.ts';
import { openEnvelope, type ServiceResponse } from './response.ts';
import { retryDelayMs, retryRule } from './retry.ts';
import type { Transport } from './transport.ts';

export type CallContext = Pick<PollContext, 'signal' | 'deadlineMs' | 'beforeSend'>;

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

/** What a configuration says about the calls of an account. A reload counts for the next attempt. */
export interface CallSettings {
  /** The configured name of the account. */
  readonly account: string;
  /** A base URL; may contain `{service}` and `{region}`. `null` for that of the site. */
  readonly endpoint: string | null;
  readonly site: Site;
  readonly signature: SignatureMethod;
  readonly credentials: CredentialsProvider;
  /** Names who signs. Calls with one identity share their rate limits. */
  readonly identity: string;
  /** Maximum duration of one attempt, from its connection to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Maximum number of attempts of one request, with the first one. Throttled attempts do not count. */
  readonly maxAttempts: number;
}

/** What all calls of the process share. */
export interface CallTools {
  readonly clock: Clock;
  /** A number from 0 (inclusive) to 1 (exclusive), as `Math.random`. */
  readonly random: () => number;
  readonly observer: ApiObserver;
  readonly transport: Transport;
  readonly rateLimits: RateLimits;
  /** Names the program and its version to the service, such as `cvm-quota-monitor/1.2.3`. */
  readonly userAgent: string;
}

/** The calls of one account. */
export interface AccountCalls {
  readonly call: ServiceCall;
  readonly serviceClock: ServiceClock;
}

/** @param current gives the present settings; called at each attempt */
export function createCalls(current: () => CallSettings, tools: CallTools): AccountCalls {
  const { clock, observer, random } = tools;
  const serviceClock = new ServiceClock();
  const call: ServiceCall = async (request, read, context) => {
    const { deadlineMs, signal } = context;
    const renewed = new Set<string>();
    let refusals = 0;
    /** On the monotonic clock. */
    let throttledSinceMs: number | null = null;
    let last: CodedError | null = null;
    for (let attempt = 1; ;) {
      const settings = current();
      const made: Attempt = { request, settings, serviceClock, tools, context, last };
      let outcome: Outcome<ReturnType<typeof read>>;
      try {
        outcome = await attemptOnce(made, read);
      } catch (error) {
        // A reload may have ended the fetch of credentials that the attempt waited for.
        if (signal.aborted || current().credentials === settings.credentials) throw error;
        continue;
      }
      if ('result' in outcome) return outcome.result;
      const { failure, signedWith } = outcome;
      last = failure;

      const { code, retryCode } = failure;
      const rule = retryRule(retryCode);
      if (rule === 'throttle') {
        refusals += 1;
        throttledSinceMs ??= performance.now();
      }
      const delayMs = retryDelayMs({
        code: retryCode,
        attempt,
        maxAttempts: settings.maxAttempts,
        renewed: renewed.has(code),
        refusals,
        throttledForMs: performance.now() - (throttledSinceMs ?? performance.now()),
        nowMs: clock.now(),
        deadlineMs,
        random: random(),
      });
      // Also if no attempt is left: the next request needs other credentials.
      const renewing =
        rule === 'renew' && signedWith !== null && settings.credentials.refused(signedWith);
      if (delayMs === null || (rule === 'renew' && !(await renewing))) throw failure;
      if (rule !== 'throttle') attempt += 1;
      renewed.add(code);
      observer.retried({ account: settings.account, operation: request.action, code });
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
  };
  return { call, serviceClock };
}

interface Attempt {
  readonly request: ServiceRequest;
  readonly settings: CallSettings;
  readonly serviceClock: ServiceClock;
  readonly tools: CallTools;
  readonly context: CallContext;
  /** The failure of the last attempt. `null` for the first attempt. */
  readonly last: CodedError | null;
}

type Outcome<T> =
  | { readonly result: T }
  | { readonly failure: CodedError; readonly signedWith: Credentials | null };

/**
 * One attempt: permit, credentials, signature, HTTP request, envelope.
 *
 * @throws `last` when the permit for a retry came after the deadline, and each error without a code
 */
async function attemptOnce<T>(
  { request, settings, serviceClock, tools, context, last }: Attempt,
  read: (response: ServiceResponse) => T,
): Promise<Outcome<T>> {
  const { account, credentials, identity, signature, site, timeoutMs } = settings;
  const { clock, observer, random, rateLimits, transport, userAgent } = tools;
  const { beforeSend, deadlineMs, signal } = context;
  const operation = request.action;
  const url = endpointOf(settings.endpoint, site, request);
  // Credentials that fail take no permit.
  await unlessAborted(credentials.get(), signal);
  const askedMs = clock.now();
  const permit = await rateLimits.of(identity, operation, url.host).acquire(signal);
  const startedMs = clock.now();
  const finished = (code: string | null) => {
    const waitMs = Math.max(0, startedMs - askedMs);
    const durationMs = Math.max(0, clock.now() - startedMs);
    observer.requestFinished({ account, operation, waitMs, durationMs, code });
  };
  let how: Parameters<Permit['ended']>[0] = 'failed';
  try {
    if (last !== null && startedMs > deadlineMs) throw last;
    // Others than before the permit, if they ended meanwhile.
    const signedWith = await unlessAborted(credentials.get(), signal);
    const { correctionMs } = serviceClock;
    const wire = wireRequest(request, signedWith, {
      method: signature,
      host: url.host,
      timestampSeconds: Math.floor((clock.now() + correctionMs) / 1_000),
      nonce: 1 + Math.floor(random() * 0x7fff_ffff),
      userAgent,
    });
    const onWrite = () => {
      beforeSend?.();
      permit.written();
    };
    try {
      const answer = await transport.send(url, wire, { timeoutMs, signal, onWrite });
      if (answer.date !== null) serviceClock.saw(answer.date, clock.now());
      if (answer.status !== 200) {
        const message = `the endpoint answered with HTTP status ${answer.status}`;
        throw new CodedError('HttpStatus', message);
      }
      const result = read(openEnvelope(answer.body, wire.secrets));
      how = 'answered';
      finished(null);
      return { result };
    } catch (error) {
      if (signal.aborted || !(error instanceof CodedError)) throw error;
      const { code, requestId, retryCode } = error;
      if (retryRule(retryCode) === 'throttle') how = 'refused';
      // The service itself answered, and not a gateway before it.
      else if (requestId !== null) how = 'answered';
      finished(code);
      if (code === 'AuthFailure.SignatureExpire' && serviceClock.refused(correctionMs)) {
        observer.clockCorrected({ account, correctionMs: serviceClock.correctionMs });
      }
      return { failure: error, signedWith };
    }
  } finally {
    permit.ended(how);
  }
}

/** The header `Date` has whole seconds. On average the real time is half a second later. */
const dateStepMs = 1_000;
/** No correction is larger than this: a signature with a distant time would stay valid for long. */
const maxCorrectionMs = 24 * 3_600_000;
/** Two measurements that differ by less count as equal. */
const sameMs = 60_000;

/**
 * The time of the service for one account. Signatures use the offset only after the service has refused a
 * signature as expired, because the `Date` of a gateway may be wrong. The offset is dropped when a signature
 * with it is refused too and the `Date` has not changed.
 */
export class ServiceClock {
  #correctionMs = 0;
  #skewMs: number | null = null;

  /** The milliseconds that are added to the machine's time for a signature. */
  get correctionMs(): number {
    return this.#correctionMs;
  }

  /** How far the machine's clock is ahead of the service's; `null` before the first answer. */
  get skewMs(): number | null {
    return this.#skewMs;
  }

  /**
   * An answer arrived.
   *
   * @param date its header
   */
  saw(date: string, nowMs: number): void {
    const dateMs = Date.parse(date);
    if (!Number.isNaN(dateMs)) this.#skewMs = nowMs - (dateMs + dateStepMs / 2);
  }

  /**
   * A signature was refused as expired.
   *
   * @param usedMs the correction that it was made with
   * @returns whether there is a new correction
   */
  refused(usedMs: number): boolean {
    // Another request has found the correction already.
    if (usedMs !== this.#correctionMs) return false;
    const neededMs = this.#skewMs === null ? 0 : -Math.round(this.#skewMs);
    if (Math.abs(neededMs) > maxCorrectionMs) return false;
    this.#correctionMs = Math.abs(neededMs - usedMs) < sameMs ? 0 : neededMs;
    return this.#correctionMs !== usedMs;
  }
}
