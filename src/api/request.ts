/**
 * Makes the HTTP request of an operation: its address, its form on the wire, and its signature (docs/service.md,
 * section 4). `call.ts` makes one for each attempt. Collectors build the parameters with `listOf` and `filtersOf`.
 */
import { createHmac, hash } from 'node:crypto';
import type { Credentials } from './credentials.ts';

/** A parameter of a request, not encoded. */
export type Parameter = readonly [name: string, value: string];

/** The parameters of a list of values, such as `SubnetIds.0`. */
export function listOf(name: string, values: Iterable<string>): Parameter[] {
  return [...values].map((value, i) => [`${name}.${i}`, value]);
}

/** The parameters of filters. @param filters the values of each filter, by its name */
export function filtersOf(filters: Readonly<Record<string, readonly string[]>>): Parameter[] {
  return Object.entries(filters).flatMap(([name, values], i): Parameter[] => [
    [`Filters.${i}.Name`, name],
    ...listOf(`Filters.${i}.Values`, values),
  ]);
}

/** A service of the cloud. Address and signature of its operations follow from it. */
export interface Service {
  /** Its name in hosts and signatures. */
  readonly service: string;
  /** The version of its interface. */
  readonly version: string;
}

/** A call of an operation, before it is signed. */
export interface ServiceRequest extends Service {
  /** The name of the operation, such as `DescribeSubnets`. */
  readonly action: string;
  readonly region: string;
  /** The operation's own parameters. Lists are already indexed: `Filters.0.Name`. */
  readonly parameters: readonly Parameter[];
  /**
   * Parameters with secrets among them. They are sent as JSON, always by POST and with TC3, whatever the method of
   * signing: never in a query string.
   */
  readonly secretBody?: Readonly<Record<string, string | number>>;
}

/** The base URL of the services, by the site of an account. */
const siteEndpoints = {
  domestic: 'https://{service}.tencentcloudapi.com',
  international: 'https://{service}.intl.tencentcloudapi.com',
} as const;

export type Site = keyof typeof siteEndpoints;
export const sites = ['domestic', 'international'] as const satisfies readonly Site[];

/**
 * The base URL of a request.
 *
 * @param endpoint from the configuration, with the placeholders `{service}` and `{region}`; `null` for that of the site
 */
export function endpointOf(
  endpoint: string | null,
  site: Site,
  { service, region }: Pick<ServiceRequest, 'service' | 'region'>,
): URL {
  const text = endpoint ?? siteEndpoints[site];
  return new URL(text.replaceAll('{service}', service).replaceAll('{region}', region));
}

export const signatureMethods = ['tc3', 'hmac-sha256', 'hmac-sha1'] as const;
/** `tc3` signs in headers (TC3-HMAC-SHA256). The others sign in the query string, with their hash. */
export type SignatureMethod = (typeof signatureMethods)[number];

/** What a signature needs besides the request and the credentials. */
export interface SigningContext {
  readonly method: SignatureMethod;
  /** The host as in the Host header: with the port, unless it is the default port of the scheme. */
  readonly host: string;
  /** Unix time, by the clock of the service. */
  readonly timestampSeconds: number;
  /** A random positive integer. `tc3` does not use it. */
  readonly nonce: number;
  /** Names the program and its version to the service. */
  readonly userAgent?: string;
}

/** A request in the form in which it is sent. */
export interface WireRequest {
  /** `/` and the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of a POST request. `null` for a GET request. */
  readonly body: string | null;
}

/**
 * Returns the request in the form in which it is sent.
 *
 * @param credentials `null`: the request has no signature
 */
export function toWireRequest(
  request: ServiceRequest,
  credentials: Credentials | null,
  context: SigningContext,
): WireRequest {
  const { method, userAgent } = context;
  let wire: WireRequest;
  if (request.secretBody !== undefined) {
    wire = tc3Request(request, credentials, context);
  } else if (credentials === null) {
    wire = { path: `/?${encodeQuery(queryParameters(request))}`, headers: {}, body: null };
  } else if (method === 'tc3') {
    wire = tc3Request(request, credentials, context);
  } else {
    wire = queryRequest(request, credentials, context, method);
  }
  if (userAgent === undefined) return wire;
  return { ...wire, headers: { 'user-agent': userAgent, ...wire.headers } };
}

/** All parameters of a request that has none of them in headers. */
function queryParameters({ action, version, region, parameters }: ServiceRequest): Parameter[] {
  return [['Action', action], ['Version', version], ['Region', region], ...parameters];
}

/** The name of each method in requests, and that of its hash in Node. */
const hmacNames = {
  'hmac-sha256': ['HmacSHA256', 'sha256'],
  'hmac-sha1': ['HmacSHA1', 'sha1'],
} as const;

/** A request with its signature in the query string. The signature needs the parameters in the order of their names. */
function queryRequest(
  request: ServiceRequest,
  credentials: Credentials,
  { host, timestampSeconds, nonce, userAgent }: SigningContext,
  method: keyof typeof hmacNames,
): WireRequest {
  const { secretId, secretKey, token } = credentials;
  const [name, algorithm] = hmacNames[method];
  const parameters: Parameter[] = [
    ...queryParameters(request),
    ['Nonce', String(nonce)],
    ['SecretId', secretId],
    ['SignatureMethod', name],
    ['Timestamp', String(timestampSeconds)],
  ];
  if (userAgent !== undefined) parameters.push(['RequestClient', requestClient(userAgent)]);
  if (token !== null) parameters.push(['Token', token]);
  parameters.sort(([a], [b]) => (a < b ? -1 : 1));

  const raw = parameters.map(([key, value]) => `${key}=${value}`).join('&');
  const signature = createHmac(algorithm, secretKey).update(`GET${host}/?${raw}`).digest('base64');
  const path = `/?${encodeQuery([...parameters, ['Signature', signature]])}`;
  return { path, headers: {}, body: null };
}

const signedHeaders = 'content-type;host';

/** A request with the signature TC3 in its headers; an unsigned one says `SKIP` instead (section 7). */
function tc3Request(
  { service, version, action, region, parameters, secretBody }: ServiceRequest,
  credentials: Credentials | null,
  { host, timestampSeconds, userAgent }: SigningContext,
): WireRequest {
  const query = encodeQuery(parameters);
  const body = secretBody === undefined ? null : JSON.stringify(secretBody);
  const contentType =
    secretBody === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
  const headers: Record<string, string> = {
    'content-type': contentType,
    'x-tc-action': action,
    'x-tc-version': version,
    'x-tc-region': region,
    'x-tc-timestamp': String(timestampSeconds),
    authorization: 'SKIP',
  };
  if (userAgent !== undefined) headers['x-tc-requestclient'] = requestClient(userAgent);
  const wire = { path: query === '' ? '/' : `/?${query}`, body };
  if (credentials === null) return { ...wire, headers };

  const { secretId, secretKey, token } = credentials;
  const date = new Date(timestampSeconds * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const method = body === null ? 'GET' : 'POST';
  const canonical = `${method}\n/\n${query}\ncontent-type:${contentType}\nhost:${host}\n\n${signedHeaders}\n${hash('sha256', body ?? '')}`;
  const key = hmac(hmac(hmac(`TC3${secretKey}`, date), service), 'tc3_request');
  const signature = hmac(
    key,
    `TC3-HMAC-SHA256\n${timestampSeconds}\n${scope}\n${hash('sha256', canonical)}`,
  ).toString('hex');
  headers['authorization'] =
    `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  if (token !== null) headers['x-tc-token'] = token;
  return { ...wire, headers };
}

/** The value of RequestClient: the name of the program, with `_` for each character that the service refuses. */
function requestClient(userAgent: string): string {
  return userAgent.replaceAll(/[^0-9A-Za-z._-]/g, '_');
}

function hmac(key: string | Buffer, message: string): Buffer {
  return createHmac('sha256', key).update(message).digest();
}

/** Percent-encodes the values (RFC 3986, upper-case hex; docs/service.md, section 4.1). Names need none. */
export function encodeQuery(parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) => `${name}=${percentEncode(value)}`).join('&');
}

function percentEncode(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
