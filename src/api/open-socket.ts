/** Opens a connection to an endpoint: directly, or in a tunnel through a proxy. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Client } from 'undici';
import { CodedError } from '../model/coded-error.ts';
import { connectionFailure, networkErrorText, withoutData } from './http-request.ts';
import type { Proxy } from './proxy.ts';
import type { Route } from './routes.ts';

export interface OpeningOptions {
  readonly route: Route;
  /** Maximum time to open the connection. A part of it is the time for one of several addresses. */
  readonly timeoutMs: number;
  /** Closes the connection, also after it was opened. */
  readonly signal: AbortSignal;
  /** The TLS session of an earlier connection. */
  readonly tlsSession: Buffer | undefined;
  /** Called with a TLS session for the next connection. */
  readonly onTlsSession: (session: Buffer) => void;
}

/** When the first keep-alive probe is sent. */
const tcpKeepAliveMs = 60_000;

/**
 * Opens a connection. If a host has several addresses, IPv6 and IPv4, they are tried in turn.
 *
 * @throws CodedError `NetworkError`; the message names the proxy if the route has one
 */
export async function openSocket(endpoint: URL, options: OpeningOptions): Promise<Socket> {
  const { proxy } = options.route;
  try {
    if (proxy === null) return await connectTo(endpoint, options, null);
    const tunnel = await openTunnel(proxy, endpoint, options);
    return endpoint.protocol === 'http:' ? tunnel : await connectTo(endpoint, options, tunnel);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw proxy === null ? connectionFailure(error) : proxyFailure(proxy, error);
  }
}

/**
 * Opens a tunnel by the method CONNECT, also for an http endpoint. undici's `ProxyAgent` does the same, but
 * only when a request is sent.
 */
async function openTunnel(proxy: Proxy, endpoint: URL, options: OpeningOptions): Promise<Socket> {
  const origin = new URL(proxy.origin);
  const ofProxy = { ...options, tlsSession: undefined, onTlsSession: () => undefined };
  const socket = await connectTo(origin, ofProxy, null);
  const host = `${endpoint.hostname}:${portOf(endpoint)}`;
  const { statusCode } = await clientOn(origin, socket).connect({
    path: host,
    headers: {
      host,
      ...(proxy.authorization !== null && { 'proxy-authorization': proxy.authorization }),
    },
  });
  if (statusCode < 200 || statusCode >= 300) throw new Error(refusalText(statusCode));
  return socket;
}

function proxyFailure({ host }: Proxy, error: Error): CodedError {
  const message = `no connection through the proxy ${host}: ${networkErrorText(error)}`;
  return new CodedError('NetworkError', message, { cause: withoutData(error) });
}

function refusalText(status: number): string {
  const hint = 'write the user name and the password that it wants into the URL in HTTPS_PROXY';
  // Some proxies answer 401 to a wrong password.
  const isUnauthorized = status === 407 || status === 401;
  return `it answered with HTTP status ${status}${isUnauthorized ? `; ${hint}` : ''}`;
}

/** @param tunnel to the proxy; `null` for a direct connection */
function connectTo(url: URL, options: OpeningOptions, tunnel: Socket | null): Promise<Socket> {
  const { onTlsSession, route, signal, timeoutMs, tlsSession: session } = options;
  const host = bareHost(url.hostname);
  const address = {
    host,
    port: portOf(url),
    autoSelectFamily: true,
    // The default of Node.js, 250 ms, is less than the latency of some regions.
    autoSelectFamilyAttemptTimeout: Math.max(10, Math.floor(timeoutMs / 10)),
  };
  if (url.protocol === 'http:') return opened(connect(address), 'connect', signal);
  const { secureContext } = route;
  const socket = connectTls({
    ...address,
    ...(tunnel !== null && { socket: tunnel }),
    ...(isIP(host) === 0 && { servername: host }),
    ...(secureContext !== undefined && { secureContext }),
    ...(session !== undefined && { session }),
    ALPNProtocols: ['http/1.1'],
  });
  return opened(socket.on('session', onTlsSession), 'secureConnect', signal);
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/** An IPv6 address without its brackets. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Waits until a socket can be used. The signal closes it, also after that. */
function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      socket.destroy();
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    // An error after the opening fails the request on the connection.
    socket.on('error', reject);
    socket.once('close', () => {
      reject(new Error('the connection was closed before it was open'));
    });
    socket.once(event, () => {
      resolve(socket.setNoDelay(true).setKeepAlive(true, tcpKeepAliveMs));
    });
  });
}

export function isUsable(socket: Socket): boolean {
  return !socket.destroyed && socket.readable && socket.writable;
}

/** A client of undici that uses this connection and opens no other. */
export function clientOn(origin: URL, socket: Socket): Client {
  return new Client(origin, {
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      // The client expects no answer before it has sent a request.
      queueMicrotask(() => {
        if (isUsable(socket)) callback(null, socket);
        else callback(new Error('the connection was closed'), null);
      });
    },
  });
}
