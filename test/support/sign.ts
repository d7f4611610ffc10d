/** Signs requests to the emulator. A test can set every part, also to a wrong value. */
import { createHash, createHmac } from 'node:crypto';

export interface Tc3Options {
  readonly host: string;
  readonly secretId: string;
  readonly secretKey: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly action: string;
  readonly method?: 'GET' | 'POST';
  /** Exactly as sent. */
  readonly query?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly service?: string;
  readonly version?: string;
  /** The signed host, if it differs from the sent host. */
  readonly signedHost?: string;
  /** Headers to sign besides content-type and host. */
  readonly extraHeaders?: Readonly<Record<string, string>>;
  readonly unsignedPayload?: boolean;
}

/** The headers of a TC3 request, Host included. */
export function tc3Headers(options: Tc3Options): Record<string, string> {
  const { host, timestamp, method = 'GET', query = '', body = '', service = 'cvm' } = options;
  const contentType =
    options.contentType ??
    (method === 'GET' ? 'application/x-www-form-urlencoded' : 'application/json');
  const signed: Record<string, string> = {
    'content-type': contentType,
    host: options.signedHost ?? host,
    ...options.extraHeaders,
  };
  const names = Object.keys(signed).sort();
  const canonicalHeaders = names.map((name) => `${name}:${signed[name]?.toLowerCase() ?? ''}\n`);
  const payload = sha256(options.unsignedPayload === true ? 'UNSIGNED-PAYLOAD' : body);
  const canonical = [method, '/', query, canonicalHeaders.join(''), names.join(';'), payload];
  const date = new Date(timestamp * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const toSign = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256(canonical.join('\n'))}`;
  const key = hmac(hmac(hmac(`TC3${options.secretKey}`, date), service), 'tc3_request');
  const signature = hmac(key, toSign).toString('hex');
  return {
    ...options.extraHeaders,
    host,
    'content-type': contentType,
    'x-tc-action': options.action,
    'x-tc-version': options.version ?? '2017-03-12',
    'x-tc-region': 'ap-guangzhou',
    'x-tc-timestamp': String(timestamp),
    ...(options.unsignedPayload === true ? { 'x-tc-content-sha256': 'UNSIGNED-PAYLOAD' } : {}),
    authorization: `TC3-HMAC-SHA256 Credential=${options.secretId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/** Parameters with their v1 signature. `SignatureMethod` in them selects the algorithm. */
export function v1Signed(
  parameters: Readonly<Record<string, string>>,
  options: { readonly host: string; readonly secretKey: string; readonly method?: string },
): Record<string, string> {
  const joined = Object.keys(parameters)
    .sort()
    .map((name) => `${name}=${parameters[name] ?? ''}`)
    .join('&');
  const algorithm = parameters.SignatureMethod === 'HmacSHA256' ? 'sha256' : 'sha1';
  const signature = createHmac(algorithm, options.secretKey)
    .update(`${options.method ?? 'GET'}${options.host}/?${joined}`)
    .digest('base64');
  return { ...parameters, Signature: signature };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
