/** Signature v3, TC3-HMAC-SHA256: HMAC over a canonical request, in headers (docs/service.md, section 4.2). */
import { createHmac, hash } from 'node:crypto';
import type { Tc3Request } from '../protocol/decode.ts';
import type { Tc3Authorization } from '../protocol/authorization.ts';
import { headerOf } from '../protocol/message.ts';
import { ServiceError } from '../protocol/service-error.ts';
import type { AccessKey } from '../resources/accounts.ts';

/** Derives the keys of signatures. Each access key keeps the last one, which holds for a day and a service. */
export class SigningKeys {
  readonly #last = new WeakMap<AccessKey, { readonly scope: string; readonly key: Buffer }>();

  of(accessKey: AccessKey, { date, service }: Tc3Authorization): Buffer {
    const scope = `${date}/${service}`;
    const last = this.#last.get(accessKey);
    if (last?.scope === scope) return last.key;
    const key = hmac(hmac(hmac(`TC3${accessKey.secretKey}`, date), service), 'tc3_request');
    this.#last.set(accessKey, { scope, key });
    return key;
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
  signingKey: Buffer,
): boolean {
  const scope = `${date}/${service}/tc3_request`;
  for (const canonical of canonicalRequests(request, signedHeaders)) {
    const toSign = `TC3-HMAC-SHA256\n${request.timestamp ?? ''}\n${scope}\n${sha256Hex(canonical)}`;
    if (hmac(signingKey, toSign).toString('hex') === signature) return true;
  }
  return false;
}

/** Most requests match the first one, so the others are not made before it is compared. */
function* canonicalRequests(request: Tc3Request, signedHeaders: readonly string[]) {
  const unsignedPayload = headerOf(request, 'x-tc-content-sha256') === 'UNSIGNED-PAYLOAD';
  const payloadHash = sha256Hex(unsignedPayload ? 'UNSIGNED-PAYLOAD' : request.body);
  const names = signedHeaders.join(';');
  for (const host of new Set([request.host, request.host.replace(/:\d+$/, '')])) {
    for (const lowerCase of [true, false]) {
      const headers = signedHeaders.map((name) => {
        const value = (name === 'host' ? host : signedValue(request, name)).trim();
        return `${name}:${lowerCase ? value.toLowerCase() : value}\n`;
      });
      yield [request.method, '/', request.rawQuery, headers.join(''), names, payloadHash].join(
        '\n',
      );
    }
  }
}

function signedValue(request: Tc3Request, name: string): string {
  const value = headerOf(request, name);
  if (value !== null) return value;
  const message = `The signed header \`${name.slice(0, 100)}\` is not in the request.`;
  throw new ServiceError('AuthFailure.SignatureFailure', message);
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
  const date = new Date(timestamp * 1000).toISOString().slice(0, 10);
  const scope = `${date}/cvm/tc3_request`;
  const signedHeaders = 'content-type;host';
  const headers = `content-type:${contentType.toLowerCase()}\nhost:${host}\n`;
  const canonical = [method, '/', query, headers, signedHeaders, sha256Hex(body)].join('\n');
  const toSign = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256Hex(canonical)}`;
  const key = hmac(hmac(hmac(`TC3${secretKey}`, date), 'cvm'), 'tc3_request');
  const signature = hmac(key, toSign).toString('hex');
  return `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}
