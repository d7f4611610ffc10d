/** The signature of a request (docs/service.md, section 4). */
import { createHmac, hash } from 'node:crypto';
import { forLast } from '../model/for-last.ts';
import type { Credentials } from './credentials/credentials.ts';
import {
  apiVersion,
  encodeQuery,
  type Parameter,
  type ServiceRequest,
  type StsParameters,
  type WireRequest,
} from './request.ts';
import type { SignatureMethod } from './signature-methods.ts';

export interface SigningContext {
  readonly credentials: Credentials;
  /** The host as in the Host header: with the port, unless it is the default port of the scheme. */
  readonly host: string;
  /** Unix time. */
  readonly timestampSeconds: number;
  /** A positive integer. */
  readonly nonce: number;
  /** Names the program to the service: letters, digits, `-`, `_` and `.`. */
  readonly requestClient?: string;
}

export type Signer = (request: ServiceRequest, context: SigningContext) => WireRequest;

/** A signer for one account. It caches values that change only once a day. */
export function createSigner(method: SignatureMethod): Signer {
  switch (method) {
    case 'hmac-sha256':
      return (request, context) => signInQuery('HmacSHA256', 'sha256', request, context);
    case 'hmac-sha1':
      return (request, context) => signInQuery('HmacSHA1', 'sha1', request, context);
    case 'tc3':
      return createHeaderSigner();
  }
}

function signInQuery(
  name: string,
  hash: string,
  request: ServiceRequest,
  context: SigningContext,
): WireRequest {
  const { credentials, host, timestampSeconds, nonce, requestClient } = context;
  const parameters: Parameter[] = [
    ['Action', request.operation],
    ['Nonce', String(nonce)],
    ['Region', request.region],
    ['SecretId', credentials.secretId],
    ['SignatureMethod', name],
    ['Timestamp', String(timestampSeconds)],
    ['Version', apiVersion],
    ...request.parameters,
  ];
  if (requestClient !== undefined) parameters.push(['RequestClient', requestClient]);
  if (credentials.token !== null) parameters.push(['Token', credentials.token]);
  parameters.sort(([a], [b]) => (a < b ? -1 : 1));

  const raw = parameters.map(([key, value]) => `${key}=${value}`).join('&');
  const signature = createHmac(hash, credentials.secretKey)
    .update(`GET${host}/?${raw}`)
    .digest('base64');
  const query = encodeQuery([...parameters, ['Signature', signature]]);
  return {
    path: `/?${query}`,
    headers: {},
    body: null,
    secrets: secretsOf(credentials, signature),
  };
}

const contentType = 'application/x-www-form-urlencoded';
const signedHeaders = 'content-type;host';
const emptyBodyHash = sha256('');

/** What a TC3 signature covers. */
interface Tc3Content {
  readonly service: 'cvm' | 'sts';
  readonly method: 'GET' | 'POST';
  readonly query: string;
  readonly contentType: string;
  readonly bodyHash: string;
  readonly host: string;
  readonly timestampSeconds: number;
}

/** @param keyOf the key of a day and a service */
function tc3Authorization(
  content: Tc3Content,
  secretId: string,
  keyOf: (date: string, service: string) => Buffer,
): { readonly authorization: string; readonly signature: string } {
  const { service, method, query, host, bodyHash, timestampSeconds } = content;
  const date = new Date(timestampSeconds * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const canonical = `${method}\n/\n${query}\ncontent-type:${content.contentType}\nhost:${host}\n\n${signedHeaders}\n${bodyHash}`;
  const signature = createHmac('sha256', keyOf(date, service))
    .update(`TC3-HMAC-SHA256\n${timestampSeconds}\n${scope}\n${sha256(canonical)}`)
    .digest('hex');
  return {
    signature,
    authorization: `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`,
  };
}

function createHeaderSigner(): Signer {
  // The key depends on the day. Requests for several regions have the same signature within a second.
  const keyOf = forLast((secretKey: string, date: string) => signingKey(secretKey, date, 'cvm'));
  const authorizationOf = forLast(
    (id: string, key: string, host: string, timestampSeconds: number, query: string) => {
      const request = { service: 'cvm', method: 'GET', query, contentType, host } as const;
      const content = { ...request, bodyHash: emptyBodyHash, timestampSeconds };
      return tc3Authorization(content, id, (date) => keyOf(key, date));
    },
  );
  return (request, { credentials, host, timestampSeconds, requestClient }) => {
    const { secretId, secretKey } = credentials;
    const query = encodeQuery(request.parameters);
    const { authorization, signature } = authorizationOf(
      secretId,
      secretKey,
      host,
      timestampSeconds,
      query,
    );
    const headers: Record<string, string> = {
      'content-type': contentType,
      'x-tc-action': request.operation,
      'x-tc-version': apiVersion,
      'x-tc-region': request.region,
      'x-tc-timestamp': String(timestampSeconds),
      authorization,
    };
    if (requestClient !== undefined) headers['x-tc-requestclient'] = requestClient;
    if (credentials.token !== null) headers['x-tc-token'] = credentials.token;
    const path = query === '' ? '/' : `/?${query}`;
    return {
      path,
      headers,
      body: null,
      secrets: secretsOf(credentials, signature),
    };
  };
}

const stsVersion = '2018-08-13';

/**
 * A request to STS: by POST with a TC3 signature. Without credentials, the request has no signature, as
 * AssumeRoleWithWebIdentity needs it (docs/service.md, section 7).
 */
export function stsRequest(
  { operation, region }: ServiceRequest,
  { body: parameters, secrets }: StsParameters,
  {
    credentials,
    host,
    timestampSeconds,
  }: Pick<SigningContext, 'host' | 'timestampSeconds'> & {
    readonly credentials: Credentials | null;
  },
): WireRequest {
  const body = JSON.stringify(parameters);
  const headers = {
    'content-type': 'application/json',
    'x-tc-action': operation,
    'x-tc-version': stsVersion,
    'x-tc-region': region,
    'x-tc-timestamp': String(timestampSeconds),
  };
  const request = { path: '/', body };
  if (credentials === null) {
    return { ...request, headers: { ...headers, authorization: 'SKIP' }, secrets };
  }
  const { secretId, secretKey, token } = credentials;
  const { authorization, signature } = tc3Authorization(
    {
      service: 'sts',
      method: 'POST',
      query: '',
      contentType: headers['content-type'],
      bodyHash: sha256(body),
      host,
      timestampSeconds,
    },
    secretId,
    (date, service) => signingKey(secretKey, date, service),
  );
  return {
    ...request,
    headers: { ...headers, authorization, ...(token !== null && { 'x-tc-token': token }) },
    secrets: [...secretsOf(credentials, signature), ...secrets],
  };
}

function signingKey(secretKey: string, date: string, service: string): Buffer {
  return hmac(hmac(hmac(`TC3${secretKey}`, date), service), 'tc3_request');
}

function secretsOf(credentials: Credentials, signature: string): string[] {
  const { secretId, secretKey, token } = credentials;
  return [secretId, secretKey, signature, ...(token === null ? [] : [token])];
}

function hmac(key: string | Buffer, message: string): Buffer {
  return createHmac('sha256', key).update(message).digest();
}

function sha256(message: string): string {
  return hash('sha256', message);
}
