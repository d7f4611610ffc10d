/** Reads the common parameters of a request, for each form of request. */
import { headerOf, type EmulatorRequest } from './message.ts';
import { givenTwice, jsonParameters, textParameters, type Parameters } from './parameters.ts';
import { ServiceError } from './service-error.ts';

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
type CommonName = (typeof commonNameList)[number];

/** The common parameters. In the v1 form they are among the parameters of the operation. */
export const commonNames: ReadonlySet<string> = new Set(commonNameList);

/** The parts of an Authorization header of TC3 (docs/service.md, section 4.2). */
export interface Tc3Authorization {
  readonly secretId: string;
  /** The day in UTC, such as `2023-11-14`. */
  readonly date: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

interface DecodedBase {
  readonly method: 'GET' | 'POST';
  /** The Host header as sent. */
  readonly host: string;
  /** The service that the host names, such as `cvm`. `null` for an address or another name. */
  readonly service: string | null;
  /** The gateway that was reached, such as `ap-shanghai`. Empty for the nearest one. */
  readonly gateway: string;
  /** The method of the signature. `null` when the request is not signed. */
  readonly signing: 'TC3-HMAC-SHA256' | 'HmacSHA256' | 'HmacSHA1' | null;
  readonly secretId: string | null;
  /** A common parameter. `null` for one that is absent. */
  readonly common: (name: CommonName) => string | null;
  /** The parameters of the operation. */
  readonly parameters: Parameters;
}

/** All parameters are in the query string or form (docs/service.md, section 4). */
export interface V1Request extends DecodedBase {
  readonly scheme: 'v1';
  /** Every parameter as sent, decoded. */
  readonly pairs: readonly (readonly [string, string])[];
}

/** The common parameters are in headers (docs/service.md, section 4). */
export interface Tc3Request extends DecodedBase {
  readonly scheme: 'tc3';
  /** The Authorization header. `null` when the request is not signed. */
  readonly authorization: string | null;
  /** Its parts. `null` when it is malformed. */
  readonly credential: Tc3Authorization | null;
  /** The query string without the question mark, exactly as sent. */
  readonly rawQuery: string;
  readonly body: Uint8Array;
  readonly headers: EmulatorRequest['headers'];
}

export type DecodedRequest = V1Request | Tc3Request;

/** Bytes. The bound is for the target of a GET request and for the body of a POST request (section 4). */
const sizeLimits = { get: 32 * 1024, postV1: 1024 * 1024, postTc3: 10 * 1024 * 1024 };

/** The largest body that any request may have, in bytes. */
export const largestBodyBytes = sizeLimits.postTc3;

const noBody = new Uint8Array();
const formType = 'application/x-www-form-urlencoded';

/**
 * Decodes a request.
 *
 * @throws ServiceError when the request cannot be read, is too large, or names another product
 */
export function decode(request: EmulatorRequest): DecodedRequest {
  const { method, target } = request;
  if (method !== 'GET' && method !== 'POST') throw new ServiceError('UnsupportedProtocol');
  if (target.length > sizeLimits.get) throw new ServiceError('RequestSizeLimitExceeded');
  const [path = ''] = target.split('?', 1);
  const rawQuery = target.slice(path.length + 1);
  if (path !== '/') throw new ServiceError('InvalidRequest', 'The path of the request is not `/`.');
  const host = headerOf(request, 'host') ?? '';
  const { body = noBody } = request;
  const parts = { method, host, ...placeOf(host), rawQuery, body } as const;
  // An Authorization of another scheme comes from a proxy or a client library. The service ignores it.
  const authorization = headerOf(request, 'authorization') ?? '';
  const isTc3 = headerOf(request, 'x-tc-action') !== null || authorization.startsWith('TC3-');
  return isTc3 ? decodeTc3(request, parts) : decodeV1(request, parts);
}

/** The live gateway serves every service. The first label of its host name selects the service. */
function placeOf(host: string): Pick<DecodedBase, 'service' | 'gateway'> {
  const [, service, gateway = ''] =
    /^([^.]+)\.(?:(.*)\.)?tencentcloudapi\.com(?::\d+)?$/i.exec(host) ?? [];
  if (service === undefined) return { service: null, gateway };
  if (/^(cvm|vpc|sts)$/i.test(service)) {
    return { service: service.toLowerCase(), gateway: gateway.toLowerCase() };
  }
  const message = `The product \`${service.slice(0, 100)}\` is not found.`;
  throw new ServiceError('NoSuchProduct', message);
}

interface RequestParts extends Pick<DecodedBase, 'method' | 'host' | 'service' | 'gateway'> {
  readonly rawQuery: string;
  readonly body: Uint8Array;
}

function decodeV1(request: EmulatorRequest, parts: RequestParts): V1Request {
  const { rawQuery, body, ...place } = parts;
  const { method } = place;
  const pairs = [...new URLSearchParams(rawQuery)];
  if (method === 'POST') {
    if (body.length > sizeLimits.postV1) throw new ServiceError('RequestSizeLimitExceeded');
    if (body.length > 0) pairs.push(...new URLSearchParams(formOf(request, body)));
  }
  const common = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (!commonNames.has(name)) continue;
    if (common.has(name)) throw givenTwice(name);
    common.set(name, value);
  }
  const algorithm = common.get('SignatureMethod') === 'HmacSHA256' ? 'HmacSHA256' : 'HmacSHA1';
  return {
    scheme: 'v1',
    ...place,
    signing: common.has('Signature') ? algorithm : null,
    secretId: common.get('SecretId') ?? null,
    common: (name) => common.get(name) ?? null,
    parameters: textParameters(pairs.filter(([name]) => !commonNames.has(name))),
    pairs,
  };
}

function formOf(request: EmulatorRequest, body: Uint8Array): string {
  const contentType = headerOf(request, 'content-type') ?? formType;
  if (contentType.toLowerCase().startsWith(formType)) return textOf(body);
  const message = `A body with common parameters must be ${formType}.`;
  throw new ServiceError('InvalidRequest', message);
}

function decodeTc3(request: EmulatorRequest, parts: RequestParts): Tc3Request {
  const { rawQuery, body, ...place } = parts;
  const { method } = place;
  if (body.length > sizeLimits.postTc3) throw new ServiceError('RequestSizeLimitExceeded');
  const sent = headerOf(request, 'authorization');
  const authorization = sent === 'SKIP' ? null : sent;
  const credential = authorization === null ? null : parseAuthorization(authorization);
  return {
    scheme: 'tc3',
    ...place,
    signing: authorization === null ? null : 'TC3-HMAC-SHA256',
    secretId: credential?.secretId ?? null,
    common: (name) => headerOf(request, `x-tc-${name.toLowerCase()}`),
    parameters:
      method === 'GET'
        ? textParameters(new URLSearchParams(rawQuery))
        : bodyParameters(request, body),
    authorization,
    credential,
    rawQuery,
    body: method === 'GET' ? noBody : body,
    headers: request.headers,
  };
}

function bodyParameters(request: EmulatorRequest, body: Uint8Array): Parameters {
  const contentType = (headerOf(request, 'content-type') ?? 'application/json').toLowerCase();
  if (contentType.startsWith('application/json')) return jsonParameters(textOf(body) || '{}');
  if (contentType.startsWith(formType)) {
    return textParameters(new URLSearchParams(textOf(body)));
  }
  throw new ServiceError('InvalidRequest', 'The Content-Type must be application/json.');
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

const authorizationForm =
  /^TC3-HMAC-SHA256 Credential=([^/\s,]+)\/(\d{4}-\d{2}-\d{2})\/([^/\s,]+)\/tc3_request, ?SignedHeaders=([^\s,]+), ?Signature=([0-9a-f]{64})$/;

/** Reads an Authorization header. Returns `null` when it is malformed. */
function parseAuthorization(header: string): Tc3Authorization | null {
  const match = authorizationForm.exec(header);
  if (match === null) return null;
  const [, secretId = '', date = '', service = '', names = '', signature = ''] = match;
  const signedHeaders = names.split(';');
  const isComplete = signedHeaders.includes('content-type') && signedHeaders.includes('host');
  return isComplete ? { secretId, date, service, signedHeaders, signature } : null;
}
