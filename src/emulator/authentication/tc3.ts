/** Signature v3, TC3-HMAC-SHA256: HMAC over a canonical request, in headers (docs/service.md, section 4.2). */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { Tc3Request } from '../protocol/decode.ts';
import type { Tc3Authorization } from '../protocol/authorization.ts';
import { headerOf } from '../protocol/message.ts';
import { ServiceError } from '../protocol/service-error.ts';
import type { AccessKey } from '../resources/accounts.ts';

const secondsPerDay = 24 * 60 * 60;

/** Derives the keys of signatures. Each access key keeps the last one, which holds for a day and a service. */
export class SigningKeys {
  #day = NaN;
  #date = '';
  readonly #last = new WeakMap<AccessKey, { readonly scope: string; readonly key: KeyObject }>();

  of(accessKey: AccessKey, { date, service }: Tc3Authorization): KeyObject {
    const scope = `${date}/${service}`;
    const last = this.#last.get(accessKey);
    if (last?.scope === scope) return last.key;
    const key = createSecretKey(signingKey(accessKey.secretKey, date, service));
    this.#last.set(accessKey, { scope, key });
    return key;
  }

  /** The date in the scope of a signature of this time. It is formatted once a day. */
  dateOf(timestampSeconds: number): string {
    const day = Math.floor(timestampSeconds / secondsPerDay);
    if (day !== this.#day) {
      this.#day = day;
      this.#date = dateText(timestampSeconds);
    }
    return this.#date;
  }
}

/**
 * Whether the signature is correct. SDKs differ, so both forms are accepted: the host with and without
 * port, and header values in lower case and as sent. The service name is taken from the credential.
 *
 * @throws ServiceError `AuthFailure.SignatureFailure` when a signed header is missing
 */
export function hasTc3Signature(
  request: Tc3Request,
  { date, service, signature, signedHeaders }: Tc3Authorization,
  key: KeyObject,
): boolean {
  const { method, rawQuery, timestamp, host } = request;
  const isPayloadSigned = headerOf(request, 'x-tc-content-sha256') !== 'UNSIGNED-PAYLOAD';
  const payloadHash = isPayloadSigned ? bodyHash(request.body) : sha256Hex('UNSIGNED-PAYLOAD');
  const ending = `${signedHeaders.join(';')}\n${payloadHash}`;
  const isSigned = (headers: string) => {
    const canonical = `${method}\n/\n${rawQuery}\n${headers}\n${ending}`;
    const toSign = `TC3-HMAC-SHA256\n${timestamp ?? ''}\n${date}/${service}/tc3_request\n${sha256Hex(canonical)}`;
    return createHmac('sha256', key).update(toSign).digest('hex') === signature;
  };
  const isSignedFor = (hostValue: string) => {
    const headers = canonicalHeaders(request, signedHeaders, hostValue);
    return isSigned(headers.toLowerCase()) || isSigned(headers);
  };
  // The first form is the usual one, so the others are not made before it is compared.
  return isSignedFor(host) || isSignedFor(host.replace(/:\d+$/, ''));
}

function canonicalHeaders(request: Tc3Request, names: readonly string[], host: string): string {
  let text = '';
  for (const name of names) {
    const value = name === 'host' ? host : headerOf(request, name);
    if (value === null) {
      const message = `The signed header \`${name.slice(0, 100)}\` is not in the request.`;
      throw new ServiceError('AuthFailure.SignatureFailure', message);
    }
    text += `${name}:${value.trim()}\n`;
  }
  return text;
}

/** What a client signs. */
interface SignedContent {
  readonly method: string;
  readonly host: string;
  readonly query: string;
  readonly contentType: string;
  readonly body: string;
}

/**
 * The Authorization header of a request, for a client.
 *
 * @param timestamp seconds since the Unix epoch
 */
export function authorizationHeader(
  { method, host, query, contentType, body }: SignedContent,
  timestamp: number,
  { secretId, secretKey }: { readonly secretId: string; readonly secretKey: string },
): string {
  const date = dateText(timestamp);
  const scope = `${date}/cvm/tc3_request`;
  const signedHeaders = 'content-type;host';
  const headers = `content-type:${contentType.toLowerCase()}\nhost:${host}\n`;
  const canonical = [method, '/', query, headers, signedHeaders, sha256Hex(body)].join('\n');
  const toSign = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256Hex(canonical)}`;
  const signature = hmac(signingKey(secretKey, date, 'cvm'), toSign).toString('hex');
  return `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}

/** The day in UTC, such as `2023-11-14`. */
function dateText(timestampSeconds: number): string {
  return new Date(timestampSeconds * 1000).toISOString().slice(0, 10);
}

function signingKey(secretKey: string, date: string, service: string): Buffer {
  return hmac(hmac(hmac(`TC3${secretKey}`, date), service), 'tc3_request');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

const hashOfNothing = sha256Hex('');

function bodyHash(body: Uint8Array): string {
  return body.length === 0 ? hashOfNothing : sha256Hex(body);
}

function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}
