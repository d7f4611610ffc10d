/**
 * The endpoint of an account's requests, and their signature. Everything follows from the options of the
 * account.
 */
import type { ConnectionPool } from './connections.ts';
import type { Credentials } from './credentials/credentials.ts';
import type { ClientOptions } from './options.ts';
import { unsignedRequest, type ServiceRequest, type WireRequest } from './request.ts';
import { createSigner, stsRequest } from './signature.ts';

export interface Endpoint {
  readonly pool: ConnectionPool;
  /** The host, as in the Host header. */
  readonly host: string;
}

export interface Preparation {
  /** The endpoint of a region. */
  readonly endpointOf: (region: string) => Endpoint;
  /**
   * Signs with the present time, because an attempt may have waited for long.
   *
   * @param correctionMs added to the machine's time
   */
  readonly sign: (
    request: ServiceRequest,
    credentials: Credentials | null,
    host: string,
    correctionMs: number,
  ) => WireRequest;
}

/** Caches values that follow from the options, until these change. */
export function createPreparations(): (options: ClientOptions) => Preparation {
  let last: { readonly options: ClientOptions; readonly preparation: Preparation } | null = null;
  return (options) => {
    if (last?.options !== options) {
      const preparation = { endpointOf: createEndpoints(options), sign: createSigning(options) };
      last = { options, preparation };
    }
    return last.preparation;
  };
}

function createSigning(options: ClientOptions): Preparation['sign'] {
  const { clock, random, userAgent } = options;
  const sign = createSigner(options.signature);
  const withUserAgent = (wire: WireRequest): WireRequest => ({
    ...wire,
    headers: { 'user-agent': userAgent, ...wire.headers },
  });
  const requestClient = userAgent.replaceAll(/[^0-9A-Za-z._-]/g, '_');
  return (request, credentials, host, correctionMs) => {
    const timestampSeconds = Math.floor((clock.now() + correctionMs) / 1000);
    if (request.sts !== undefined) {
      const context = { credentials, host, timestampSeconds };
      return withUserAgent(stsRequest(request, request.sts, context));
    }
    if (credentials === null) return withUserAgent(unsignedRequest(request));
    const nonce = 1 + Math.floor(random() * 0x7fff_ffff);
    const context = { credentials, host, timestampSeconds, nonce, requestClient };
    return withUserAgent(sign(request, context));
  };
}

/** Maximum time to open a connection. It is shorter if a whole attempt has less time. */
const maxConnectMs = 10_000;
/** Maximum number of connections of an account to an endpoint, for any rate and timeout. */
const mostConnections = 256;

/** Enough connections for the rate, also when every answer takes the whole timeout. */
function connectionsFor({ requestsPerSecond, timeoutMs }: ClientOptions): number {
  return Math.min(mostConnections, Math.ceil((requestsPerSecond * timeoutMs) / 1_000));
}

/** Returns the endpoint of a region. Its address is parsed once. */
function createEndpoints(options: ClientOptions): Preparation['endpointOf'] {
  const { account, connections, routes, timeoutMs } = options;
  const bounds = {
    maxConnections: connectionsFor(options),
    connectTimeoutMs: Math.min(timeoutMs, maxConnectMs),
  };
  const endpoints = new Map<string, Endpoint>();
  return (region) => {
    let endpoint = endpoints.get(region);
    if (endpoint === undefined) {
      const url = new URL(options.endpoint.replaceAll('{region}', region));
      const pool = connections.poolOf(account, url, routes.of(url), bounds);
      endpoint = { pool, host: url.host };
      endpoints.set(region, endpoint);
    }
    return endpoint;
  };
}
