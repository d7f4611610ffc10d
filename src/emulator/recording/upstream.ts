/** Asks the service that is recorded, with credentials of its own (docs/service.md, section 4.2). */
import { authorizationHeader } from '../authentication/tc3.ts';
import { commonNames, type DecodedRequest } from '../protocol/decode.ts';
import { headerOf } from '../protocol/message.ts';

export interface UpstreamCredentials {
  readonly secretId: string;
  readonly secretKey: string;
  /** `null` for a permanent key. */
  readonly token: string | null;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const timeoutMs = 30_000;

/**
 * Sends a request to `upstream`. The signature of the client covers the host of the emulator, so the request is
 * signed again. Without credentials it is not signed.
 *
 * @throws when there is no answer within 30 s
 */
export async function askUpstream(
  upstream: URL,
  request: DecodedRequest,
  credentials: UpstreamCredentials | null,
): Promise<UpstreamAnswer> {
  const { query, body, contentType } = contentOf(request);
  const url = new URL(query === '' ? '/' : `/?${query}`, upstream);
  const timestamp = Math.floor(Date.now() / 1000);
  const method = body === null ? 'GET' : 'POST';
  const headers = new Headers({ 'content-type': contentType, 'x-tc-timestamp': String(timestamp) });
  const common = { action: request.action, version: request.version, region: request.region };
  for (const [name, value] of Object.entries(common)) {
    if (value !== null) headers.set(`x-tc-${name}`, value);
  }
  if (credentials !== null) {
    const canonical = { method, host: url.host, query, contentType, body: body ?? '' };
    headers.set('authorization', authorizationHeader(canonical, timestamp, credentials));
    if (credentials.token !== null) headers.set('x-tc-token', credentials.token);
  }
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' });
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? 'application/octet-stream',
    body: await response.text(),
  };
}

/** Parameters in text stay in a query, because only the service knows which of them are numbers. */
function contentOf(request: DecodedRequest) {
  const form = 'application/x-www-form-urlencoded';
  if (request.scheme === 'v1') {
    const query = new URLSearchParams();
    for (const [name, value] of request.pairs) {
      if (!commonNames.has(name)) query.append(name, value);
    }
    return { query: query.toString(), body: null, contentType: form };
  }
  if (request.method === 'GET') {
    return { query: request.rawQuery, body: null, contentType: form };
  }
  const contentType = headerOf(request, 'content-type') ?? 'application/json';
  return { query: request.rawQuery, body: new TextDecoder().decode(request.body), contentType };
}
