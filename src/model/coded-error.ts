/**
 * An error that a poll can fail with. The poller makes a failure of it. `code` is a short, stable word from a bounded set:
 * the service's error code, or one of {@link ClientErrorCode}. It can be a metric label.
 */
export class CodedError extends Error {
  readonly code: string;
  /** The RequestId of the service, if the answer had one. The support of the service asks for it. */
  readonly requestId: string | null;
  /** The code by which `api/retry.ts` decides. Default: `code`. It differs if one code has several causes. */
  readonly retryCode: string;

  constructor(
    code: string,
    message: string,
    options: { cause?: unknown; requestId?: string | null; retryCode?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CodedError';
    this.code = code;
    this.requestId = options.requestId ?? null;
    this.retryCode = options.retryCode ?? code;
  }
}

/** Our codes, for failures for which the service gave none. */
export const clientErrorCodes = [
  'Timeout',
  'NetworkError',
  'HttpStatus',
  'InvalidResponse',
  'Credentials',
] as const;
export type ClientErrorCode = (typeof clientErrorCodes)[number];
