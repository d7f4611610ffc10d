/**
 * Decodes requests whose common parameters are in headers, and verifies their signature TC3-HMAC-SHA256
 * (docs/service.md, section 4.2). `decode.ts` selects this form when there is a header X-TC-Action or an
 * Authorization of TC3.
 */
import { createHmac, hash } from 'node:crypto';
import {
  formType,
  headerOf,
  type CommonName,
  type RequestParts,
  type RequestContent,
} from './message.ts';
import { jsonParameters, textParameters, type Parameters } from './parameters.ts';
import { required, ServiceError } from './service-error.ts';

/**
 * Decodes the request. Only `readSignature` refuses a missing or malformed Authorization.
 *
 * @throws ServiceError when the parameters cannot be read
 */
export function decodeTc3(parts: RequestParts): RequestContent {
  const header = headerOf(parts, 'authorization');
  // AssumeRoleWithWebIdentity is not signed, and says so by `SKIP`.
  const authorization = header === 'SKIP' ? null : header;
  const credential = authorization === null ? null : parseAuthorization(authorization);
  const commonParameter = (name: CommonName) => headerOf(parts, `x-tc-${name.toLowerCase()}`);
  return {
    signing: authorization === null ? null : 'TC3-HMAC-SHA256',
    secretId: credential?.secretId ?? null,
    commonParameter,
    parameters: parametersOf(parts),
    readSignature: () => {
      required(authorization, 'Authorization');
      if (credential === null) throw new ServiceError('AuthFailure.InvalidAuthorization');
      const { date, service } = credential;
      // `127` of 127.0.0.1: an SDK with such an endpoint signs its first label as the service.
      const hostLabel = parts.host.replace(/[.:].*$/s, '');
      return (secretKey, expectedService, timestamp) =>
        date === new Date(Number(timestamp) * 1000).toISOString().slice(0, 10) &&
        [expectedService, hostLabel].includes(service) &&
        hasSignature(parts, credential, secretKey, timestamp);
    },
  };
}

/**
 * The parameters of the operation: of the query for GET, otherwise of the body, where an empty one has none.
 *
 * @throws ServiceError when the body is malformed or of another type
 */
function parametersOf({
  method,
  rawQuery,
  contentType = 'application/json',
  body,
}: RequestParts): Parameters {
  if (method === 'GET') {
    // The official SDK sends an absent parameter as `Name=`.
    const pairs = [...new URLSearchParams(rawQuery)].filter(([, value]) => value !== '');
    return textParameters(pairs);
  }
  const text = new TextDecoder().decode(body);
  if (contentType.startsWith('application/json')) return jsonParameters(text || '{}');
  if (contentType.startsWith(formType)) return textParameters(new URLSearchParams(text));
  throw new ServiceError('InvalidRequest', 'The Content-Type must be application/json.');
}

const authorizationForm =
  /^TC3-HMAC-SHA256 Credential=([^/\s,]+)\/(\d{4}-\d{2}-\d{2})\/([^/\s,]+)\/tc3_request, ?SignedHeaders=([^\s,]+), ?Signature=([0-9a-f]{64})$/;

/** The parts of an Authorization header of TC3; `null` if malformed. `date` is a day in UTC, such as `2023-11-14`. */
function parseAuthorization(header: string) {
  const match = authorizationForm.exec(header);
  if (match === null) return null;
  const [, secretId = '', date = '', service = '', names = '', signature = ''] = match;
  const signedHeaders = names.split(';');
  const isComplete = signedHeaders.includes('content-type') && signedHeaders.includes('host');
  return isComplete ? { secretId, date, service, signedHeaders, signature } : null;
}

/**
 * True when the key made the signature. SDKs differ, so a signature is accepted for the host with or without its
 * port, and for header values as sent or in lower case.
 *
 * @throws ServiceError `AuthFailure.SignatureFailure` when a signed header is missing
 */
function hasSignature(
  parts: RequestParts,
  { date, service, signature, signedHeaders }: NonNullable<ReturnType<typeof parseAuthorization>>,
  secretKey: string,
  timestamp: string,
): boolean {
  const { method, host, rawQuery, body } = parts;
  const isPayloadSigned = headerOf(parts, 'x-tc-content-sha256') !== 'UNSIGNED-PAYLOAD';
  const payloadHash = hash('sha256', isPayloadSigned ? body : 'UNSIGNED-PAYLOAD');
  const key = hmac(hmac(hmac(`TC3${secretKey}`, date), service), 'tc3_request');
  return [host, host.replace(/:\d+$/, '')]
    .map((signedHost) =>
      signedHeaders
        .map((name) => `${name}:${name === 'host' ? signedHost : signedHeader(parts, name)}\n`)
        .join(''),
    )
    .flatMap((headers) => [headers.toLowerCase(), headers])
    .some((headers) => {
      const ending = `${headers}\n${signedHeaders.join(';')}\n${payloadHash}`;
      const canonical = `${method}\n/\n${rawQuery}\n${ending}`;
      const toSign = `TC3-HMAC-SHA256\n${timestamp}\n${date}/${service}/tc3_request\n${hash('sha256', canonical)}`;
      return hmac(key, toSign).toString('hex') === signature;
    });
}

/** @throws ServiceError when the request does not have the header */
function signedHeader(request: RequestParts, name: string): string {
  const value = headerOf(request, name);
  if (value !== null) return value.trim();
  const message = `The signed header \`${name.slice(0, 100)}\` is not in the request.`;
  throw new ServiceError('AuthFailure.SignatureFailure', message);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
