/** One attempt of a request: permit, signature, HTTP request, envelope. */
import { CodedError } from '../model/coded-error.ts';
import type { PollContext } from '../model/poll-outcome.ts';
import type { Credentials } from './credentials/credentials.ts';
import { HttpAttemptReport } from './http-attempt-report.ts';
import { createPreparations } from './endpoints.ts';
import { sendHttpRequest, type HttpRequestOptions } from './http-request.ts';
import type { ClientOptions } from './options.ts';
import { acquirePermit, type Permit } from './permit.ts';
import type { ServiceRequest, WireRequest } from './request.ts';
import { openEnvelope, type ServiceResponse } from './response.ts';
import { retryRule, throttlePauseMs, throttlesEveryOperation } from './retry.ts';
import type { ServiceClock } from './service-clock.ts';

/** Reads the result from an answer. Throws CodedError `InvalidResponse`. */
export type ResponseReader<T> = (response: ServiceResponse) => T;

/** The request that an attempt belongs to. */
export interface AttemptContext {
  /** The error of the last attempt. `null` for the first attempt. */
  readonly previous: CodedError | null;
  /** The last attempt of the request failed, so its next attempt comes before the waiting requests. */
  readonly hadTurn: boolean;
  /** Called with the credentials of the signature. */
  readonly onSigned: (credentials: Credentials | null) => void;
}

/**
 * Makes one attempt.
 *
 * @throws `previous` when the turn for a retry came after the deadline
 */
export type HttpAttempt = <T>(
  request: ServiceRequest,
  read: ResponseReader<T>,
  poll: PollContext,
  context: AttemptContext,
) => Promise<T>;

/**
 * Makes the attempts of one account.
 *
 * @param current returns the present options; called at each attempt
 */
export function createHttpAttempt(
  current: () => ClientOptions,
  serviceClock: ServiceClock,
): HttpAttempt {
  const preparationOf = createPreparations();

  /** Gets everything that a request needs. `null` when it must begin again with other options. */
  const ready = async (
    request: ServiceRequest,
    { beforeSend, deadlineMs, signal }: PollContext,
    { hadTurn, previous }: AttemptContext,
    options: ClientOptions,
    report: HttpAttemptReport,
  ) => {
    const { endpointOf, sign } = preparationOf(options);
    const { pool, host } = endpointOf(request.region);
    const isOutdated = () => current() !== options;
    const limits = limitsFor(await options.credentials.get(), options);
    const limit = limits.of(request.operation);
    let permit: Permit | null;
    try {
      permit = await acquirePermit(limit, pool, {
        signal,
        isFirst: hadTurn,
        isOutdated,
        onTurn: report.turn,
      });
    } catch (error) {
      if (error instanceof CodedError) report.finished(error.code);
      throw error;
    }
    if (permit === null) return null;
    const { correctionMs } = serviceClock;
    let isUsed = false;
    try {
      if (previous !== null && options.clock.now() > deadlineMs) throw previous;
      if (isOutdated()) return null;
      await options.yieldQueue.nextTurn();
      const credentials = await options.credentials.get();
      // The limits are others if the key was replaced, and two accounts had the same one.
      if (limitsFor(credentials, options) !== limits) return null;
      const wire = sign(request, credentials, host, correctionMs);
      signal.throwIfAborted();
      beforeSend?.();
      isUsed = true;
      return { permit, wire, credentials, limit, limits, correctionMs };
    } finally {
      if (!isUsed) giveBack(permit);
    }
  };

  const attempt: HttpAttempt = async (request, read, poll, context) => {
    const options = current();
    const { account, clock } = options;
    const report = new HttpAttemptReport(request.operation, options);
    let prepared: Awaited<ReturnType<typeof ready>>;
    try {
      prepared = await ready(request, poll, context, options, report);
    } catch (error) {
      // A reload may have ended what the request waited for, such as a fetch of credentials.
      if (poll.signal.aborted || current() === options) throw error;
      prepared = null;
    }
    // Endpoint, credentials or limits have changed while the request waited.
    if (prepared === null) return attempt(request, read, poll, { ...context, hadTurn: true });

    const { permit, wire, credentials, limit, limits, correctionMs } = prepared;
    context.onSigned(credentials);
    report.begins();
    try {
      const body = await sendWith(permit, wire, {
        timeoutMs: options.timeoutMs,
        signal: poll.signal,
        largeAnswers: options.largeAnswers,
        onSent: () => {
          permit.token.sent();
        },
        onDate: (date) => {
          serviceClock.saw(date, clock.now());
        },
      });
      report.ended();
      await options.yieldQueue.nextTurn();
      const result = read(openEnvelope(body, wire.secrets));
      limit.answered();
      report.finished(null);
      return result;
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      const { code } = error;
      report.finished(code);
      if (retryRule(code) === 'throttle') {
        const pauseMs = throttlePauseMs(options.random());
        const slowed = throttlesEveryOperation(code) ? limits : limit;
        slowed.throttled(permit.token.atMs, pauseMs);
      } else if (error.requestId !== null) {
        // The service itself answered, and not a gateway before it.
        limit.answered();
      }
      if (code === 'AuthFailure.SignatureExpire' && serviceClock.refused(correctionMs)) {
        options.observer.clockCorrected({ account, correctionMs: serviceClock.correctionMs });
      }
      throw error;
    }
  };
  return attempt;
}

function giveBack({ connection, token }: Permit): void {
  token.unanswered();
  connection.release();
}

/** All rate limits of the SecretId that signs a request. */
function limitsFor(credentials: Credentials | null, { account, rateLimits }: ClientOptions) {
  return rateLimits.limitsOf(account, credentials?.secretId ?? null);
}

/** Uses the permit. Keeps the connection for the next request only after a complete answer. */
function sendWith(
  { connection, token }: Permit,
  wire: WireRequest,
  options: HttpRequestOptions,
): Promise<string> {
  return sendHttpRequest(connection.dispatcher, wire, options).then(
    (body) => {
      token.finished();
      connection.release();
      return body;
    },
    (error: unknown) => {
      token.unanswered();
      connection.close();
      throw error;
    },
  );
}
