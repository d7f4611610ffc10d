/**
 * A request and its reply in their stages: received ({@link EmulatorRequest}), decoded ({@link DecodedRequest}), and
 * answered ({@link EmulatorReply}); and the envelope of answers.
 */
import type { FaultRule } from '../scenario/fault.ts';
import type { Parameters } from './parameters.ts';
import { ServiceError } from './service-error.ts';

/** A request as received, before it is decoded. */
export interface EmulatorRequest {
  readonly method: string;
  /** Path and query exactly as sent, such as `/?Action=DescribeAccountQuota`. */
  readonly target: string;
  /** Headers. Names are in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: Uint8Array;
}

/** A request that has the right method, path and size: what `decode.ts` passes to the decoder of its form. */
export interface RequestParts extends EmulatorRequest {
  /** The Host header as sent. */
  readonly host: string;
  /** The query string without the question mark, exactly as sent. */
  readonly rawQuery: string;
  /** In lower case. */
  readonly contentType: string | undefined;
  /** Empty unless the method is POST. */
  readonly body: Uint8Array;
}

const commonNameList = [
  'Action',
  'Version',
  'Region',
  'Timestamp',
  'Nonce',
  'SecretId',
  'Signature',
  'SignatureMethod',
  'Token',
  'Language',
  'RequestClient',
] as const;
export type CommonName = (typeof commonNameList)[number];

/** The names of the common parameters. In the v1 form they stand among the parameters of the operation. */
export const commonNames: ReadonlySet<string> = new Set(commonNameList);

export const formType = 'application/x-www-form-urlencoded';

/**
 * The content of a request, decoded from TC3 or v1: common parameters, parameters of the operation, and perhaps a
 * signature.
 */
export interface RequestContent {
  /** The method of the signature. `null` when the request is not signed. */
  readonly signing: 'TC3-HMAC-SHA256' | 'HmacSHA256' | 'HmacSHA1' | null;
  readonly secretId: string | null;
  /** Returns a common parameter. `null` when it is absent. */
  readonly commonParameter: (name: CommonName) => string | null;
  /** The parameters of the operation. */
  readonly parameters: Parameters;
  /**
   * Reads the signature, and returns how to verify it. Only `authenticate.ts` calls it, so that unsigned requests are
   * possible.
   *
   * @throws ServiceError when a part of the signature is missing or malformed
   */
  readonly readSignature: () => SignatureTest;
}

/**
 * True when this key made the signature of the request.
 *
 * @param service the service of the operation; a signature of v1 does not name it
 * @param timestamp the common parameter, in Unix seconds
 */
type SignatureTest = (secretKey: string, service: string, timestamp: string) => boolean;

export interface DecodedRequest extends RequestContent {
  /** The service that the host names, such as `cvm`. `null` for an address or another name. */
  readonly service: string | null;
  /** The gateway that was reached, such as `ap-shanghai`. Empty for the nearest one. */
  readonly gateway: string;
}

/** The reply to a request, and how `http/deliver.ts` is to send it. */
export interface EmulatorReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** How long the reply is to be delayed. */
  readonly latencyMs: number;
  /** The rule that changed the reply, or that will change how it is sent. `null` for none. */
  readonly fault: FaultRule | null;
}

/** Creates a reply without a delay and without a fault. `service.ts` adds both. */
export function replyOf(
  body: string,
  { status = 200, contentType = 'application/json' } = {},
): EmulatorReply {
  return { status, contentType, body, latencyMs: 0, fault: null };
}

/** The value of a header; the first one if there are several, `null` if there is none. `name` is in lower case. */
export function headerOf(request: Pick<EmulatorRequest, 'headers'>, name: string): string | null {
  const value = request.headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}

/** The answer of an operation: the fields of `Response` without RequestId, or an error. */
export type Answer = Readonly<Record<string, unknown>> | ServiceError;

/** Puts an answer in its envelope (docs/service.md, section 2). The HTTP status is 200, also of an error. */
export function envelope(answer: Answer, requestId: string): EmulatorReply {
  const content =
    answer instanceof ServiceError
      ? { Error: { Code: answer.code, Message: answer.message } }
      : answer;
  return replyOf(JSON.stringify({ Response: { ...content, RequestId: requestId } }));
}
