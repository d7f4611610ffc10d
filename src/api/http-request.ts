/** One request and its answer over HTTP. The limits bound the damage that a faulty server can cause. */
import { codeOf } from '../model/errors.ts';
import type { Dispatcher } from 'undici';
import { AnswerBody, type LargeAnswers } from './answer-body.ts';
import { CodedError, type OwnErrorCode } from '../model/coded-error.ts';
import type { WireRequest } from './request.ts';

export interface HttpRequestOptions {
  /** The time from now to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** One for all requests of the process, because they share its memory. */
  readonly largeAnswers: LargeAnswers;
  /** Called when the request is about to be written to its connection. */
  readonly onSent: () => void;
  /** Called with the header `Date` of the answer. */
  readonly onDate: (date: string) => void;
}

/**
 * Sends a request, and resolves with the body of an answer with status 200.
 *
 * Redirects are not followed. Compressed answers are neither requested nor accepted, because a small one can
 * expand to any size. Every failure closes the connection.
 *
 * @throws CodedError `Timeout`, `NetworkError`, `HttpStatus` or `InvalidResponse`
 */
export function sendHttpRequest(
  connection: Dispatcher,
  { path, headers, body }: Pick<WireRequest, 'path' | 'headers' | 'body'>,
  options: HttpRequestOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    options.signal.throwIfAborted();
    const handler = new HttpRequestHandler(options, { resolve, reject });
    const method = body === null ? 'GET' : 'POST';
    connection.dispatch({ method, path, headers, body }, handler);
  });
}

interface Settlement {
  readonly resolve: (body: string) => void;
  readonly reject: (error: Error) => void;
}

/** Collects an answer. It settles at once when the time is over or the signal aborts. */
class HttpRequestHandler implements Dispatcher.DispatchHandler {
  readonly #options: HttpRequestOptions;
  readonly #settlement: Settlement;
  readonly #timer: NodeJS.Timeout;
  readonly #body = new AnswerBody();
  #leaveLarge: (() => void) | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #failure: Error | null = null;

  constructor(options: HttpRequestOptions, settlement: Settlement) {
    this.#options = options;
    this.#settlement = settlement;
    this.#timer = setTimeout(() => {
      this.#fail(failure('Timeout', `no complete answer within ${options.timeoutMs} ms`));
    }, options.timeoutMs);
    options.signal.addEventListener('abort', this.#abort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure === null) this.#options.onSent();
    else controller.abort(this.#failure);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    const { date } = headers;
    if (typeof date === 'string') this.#options.onDate(date);
    const encoding = headers['content-encoding'];
    if (status !== 200) {
      this.#fail(failure('HttpStatus', `the endpoint answered with HTTP status ${status}`));
    } else if (encoding !== undefined && encoding !== 'identity') {
      this.#fail(failure('InvalidResponse', 'the answer is compressed, which was not asked for'));
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#failure !== null) return;
    const problem = this.#body.append(chunk);
    if (problem !== null) {
      this.#fail(failure('InvalidResponse', `the answer ${problem}`));
    } else if (this.#leaveLarge === null && this.#options.largeAnswers.isLarge(this.#body)) {
      this.#leaveLarge = this.#options.largeAnswers.take({
        pause: () => {
          controller.pause();
        },
        // Not while another answer ends: undici's parser cannot start during that.
        resume: () => {
          queueMicrotask(() => {
            controller.resume();
          });
        },
      });
    }
  }

  onResponseEnd(): void {
    if (this.#failure !== null) return;
    this.#release();
    this.#settlement.resolve(this.#body.toString());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(connectionFailure(error));
  }

  readonly #abort = (): void => {
    this.#fail(new Error('aborted'));
  };

  #fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#release();
    this.#settlement.reject(error);
    this.#controller?.abort(error);
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#leaveLarge?.();
    this.#options.signal.removeEventListener('abort', this.#abort);
  }
}

function failure(code: OwnErrorCode, message: string, cause?: unknown): CodedError {
  return new CodedError(code, message, { cause });
}

/** The failure to report for a network error. */
export function connectionFailure(error: Error): CodedError {
  if (error instanceof CodedError) return error;
  const message = `no answer from the endpoint: ${networkErrorText(error)}`;
  return failure('NetworkError', message, withoutData(error));
}

/** The error of the parser contains bytes of the answer. These may quote the request, and so a secret. */
export function withoutData(error: Error): Error | undefined {
  return 'data' in error ? undefined : error;
}

/** The codes of OpenSSL for a certificate of an authority that is not trusted. */
const untrusted: ReadonlySet<string | undefined> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What a network error says. An error for several addresses has no message, but each address has one. */
export function networkErrorText(error: Error): string {
  const code = codeOf(error);
  const text = error.message === '' ? (code ?? error.name) : error.message;
  return untrusted.has(code) ? `${text}; name a private authority in api.ca_file` : text;
}
