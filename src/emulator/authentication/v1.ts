/** Signature v1: HMAC over all parameters, in the query string (docs/service.md, section 4.1). */
import { createHmac } from 'node:crypto';
import type { V1Request } from '../protocol/decode.ts';

/** The correct signature of a request. Only the exact value `HmacSHA256` selects SHA-256. */
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
