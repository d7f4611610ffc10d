/** The signatures of requests (docs/service.md, section 4). */
import { createHmac, hash } from 'node:crypto';
import { headerOf } from '../protocol/message.ts';
import type { Tc3Authorization, Tc3Request, V1Request } from '../protocol/decode.ts';
import { ServiceError } from '../protocol/service-error.ts';

/** Signature v1: HMAC over all parameters. Only the exact value `HmacSHA256` selects SHA-256. */
export function v1Signature(request: V1Request, secretKey: string): string {
  const joined = request.pairs
    .filter(([name]) => name !== 'Signature')
    .sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const algorithm = request.signatureMethod === 'HmacSHA256' ? 'sha256' : 'sha1';
  return createHmac(algorithm, secretKey)
    .update(`${request.method}${request.host}/?${joined}`)
    .digest('base64');
}

/**
 * Whether a signature v3, TC3-HMAC-SHA256, is correct. SDKs differ, so both forms are accepted: the host with
 * and without port, and header values in lower case and as sent.
 *
 * @throws ServiceError `AuthFailure.SignatureFailure` when a signed header is missing
 */
export function hasTc3Signature(
  request: Tc3Request,
  { date, service, signature, signedHeaders }: Tc3Authorization,
  secretKey: string,
): boolean {
  const { method, rawQuery, timestamp, host } = request;
  const isPayloadSigned = headerOf(request, 'x-tc-content-sha256') !== 'UNSIGNED-PAYLOAD';
  const payloadHash = sha256Hex(isPayloadSigned ? request.body : 'UNSIGNED-PAYLOAD');
  const key = hmac(hmac(hmac(`TC3${secretKey}`, date), service), 'tc3_request');
  return [host, host.replace(/:\d+$/, '')]
    .map((each) => canonicalHeaders(request, signedHeaders, each))
    .flatMap((headers) => [headers.toLowerCase(), headers])
    .some((headers) => {
      const ending = `${headers}\n${signedHeaders.join(';')}\n${payloadHash}`;
      const canonical = `${method}\n/\n${rawQuery}\n${ending}`;
      const toSign = `TC3-HMAC-SHA256\n${timestamp ?? ''}\n${date}/${service}/tc3_request\n${sha256Hex(canonical)}`;
      return hmac(key, toSign).toString('hex') === signature;
    });
}

function canonicalHeaders(request: Tc3Request, names: readonly string[], host: string): string {
  return names
    .map((name) => {
      const value = name === 'host' ? host : headerOf(request, name);
      if (value !== null) return `${name}:${value.trim()}\n`;
      const message = `The signed header \`${name.slice(0, 100)}\` is not in the request.`;
      throw new ServiceError('AuthFailure.SignatureFailure', message);
    })
    .join('');
}

/** The day in UTC in the scope of a signature, such as `2023-11-14`. */
export function dateOf(timestampSeconds: number): string {
  return new Date(timestampSeconds * 1000).toISOString().slice(0, 10);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}
