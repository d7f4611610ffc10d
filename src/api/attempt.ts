/** One attempt of a request: signature, exchange, envelope. */
import type { Dispatcher } from 'undici';
import { CodedError } from '../model/coded-error.ts';
import { ConnectionPools } from './connections.ts';
import { exchange } from './exchange.ts';
import type { ClientOptions } from './options.ts';
import type { Token } from './rate-limit.ts';
import { unsignedRequest, type ServiceRequest, type WireRequest } from './request.ts';
import { openEnvelope, type ServiceResponse } from './response.ts';
import { createSigner } from './signature.ts';
import { ownTurn } from './turns.ts';

/** Turns an answer into what is wanted of it; throws CodedError `InvalidResponse`. */
export type ResponseReader<T> = (response: ServiceResponse) => T;

export interface AttemptContext {
  readonly signal: AbortSignal;
  /** Is used up or cancelled by the attempt. */
  readonly token: Token;
}

export type Attempt = <T>(
  request: ServiceRequest,
  read: ResponseReader<T>,
  context: AttemptContext,
) => Promise<T>;

/** What makes the attempts of one account. */
export function createAttempt(options: ClientOptions): Attempt {
  const { account, clock, observer, timeoutMs } = options;
  const endpointOf = createEndpoints(options);
  const prepare = createPreparation(options);

  return async (request, read, { signal, token }) => {
    let pool: Dispatcher;
    let wire: WireRequest;
    try {
      await ownTurn();
      const endpoint = endpointOf(request.region);
      pool = endpoint.pool;
      wire = await prepare(request, endpoint.host);
    } catch (error) {
      token.cancel();
      throw error;
    }
    const startedMs = clock.now();
    let endedMs = startedMs;
    const report = (code: string | null) => {
      const durationMs = Math.max(0, endedMs - startedMs);
      observer.requestFinished({ account, operation: request.operation, durationMs, code });
    };
    try {
      const exchanged = exchange(pool, wire, { timeoutMs, signal, onSent: token.sent });
      const body = await exchanged.finally(() => {
        endedMs = clock.now();
        token.finished();
      });
      await ownTurn();
      const result = read(openEnvelope(body, wire.secrets));
      report(null);
      return result;
    } catch (error) {
      if (error instanceof CodedError) report(error.code);
      throw error;
    }
  };
}

/** Signs with the credentials and the time of now: an attempt may have waited for long. */
function createPreparation(
  options: ClientOptions,
): (request: ServiceRequest, host: string) => Promise<WireRequest> {
  const { clock, random } = options;
  const sign = createSigner(options.signature);
  return async (request, host) => {
    const credentials = await options.credentials.get();
    if (credentials === null) return unsignedRequest(request);
    const timestampSeconds = Math.floor(clock.now() / 1000);
    const nonce = 1 + Math.floor(random() * 0x7fff_ffff);
    return sign(request, { credentials, host, timestampSeconds, nonce });
  };
}

interface Endpoint {
  readonly pool: Dispatcher;
  /** As in the Host header. */
  readonly host: string;
}

/** Finds a region's endpoint, and parses its address once. */
function createEndpoints(options: ClientOptions): (region: string) => Endpoint {
  const connections = options.connections ?? new ConnectionPools();
  const endpoints = new Map<string, Endpoint>();
  return (region) => {
    let endpoint = endpoints.get(region);
    if (endpoint === undefined) {
      const url = new URL(options.endpoint.replaceAll('{region}', region));
      endpoint = { pool: connections.poolOf(url.origin), host: url.host };
      endpoints.set(region, endpoint);
    }
    return endpoint;
  };
}
