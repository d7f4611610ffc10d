/** The HTTP server of the daemon: owns the listening socket. */
import { codeOf } from '../../model/errors.ts';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { commonHeaders, textHeaders } from './answers.ts';
import type { WebApp } from './app.ts';
import { redirection, withoutPrefix, type Place } from './external-url.ts';
import { ConnectionGuard } from './guard.ts';
import { formatListenAddress, type ListenAddress } from './listen-address.ts';
import { refuseOtherSites } from './other-sites.ts';
import type { Protection } from './protection.ts';
import { isScrape } from './scrape.ts';

export interface WebServer {
  /** The URL of the first address for a person, such as `http://localhost:10042`, with the prefix. */
  readonly url: string;
  /** The URLs of all addresses as they are, such as `http://[::]:10042` for every address of the machine. */
  readonly urls: readonly string[];
  /** Stops listening, waits for running answers, and closes idle connections. */
  close(): Promise<void>;
}

/** A server could not listen. The message contains the address and a solution. */
export class ListenError extends Error {
  constructor(address: ListenAddress, cause: Error) {
    const where = formatListenAddress(address);
    super(`cannot listen on ${where}: ${reasonOf(cause)}`, { cause });
    this.name = 'ListenError';
  }
}

function reasonOf(error: Error): string {
  const code = codeOf(error);
  const choose = 'choose another with --web.listen-address=HOST:PORT';
  if (code === 'EADDRINUSE') return `the port is taken; ${choose}`;
  if (code === 'EACCES') return `not permitted; ${choose}, with a port above 1023`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `this machine does not have that address; ${choose}`;
  }
  return error.message;
}

/** The limits of a client. */
export interface WebLimits {
  /** Maximum number of open connections. See {@link ConnectionGuard}. */
  readonly maxConnections: number;
  /** The time from the connection, or from the first byte of a further request, to the end of the headers. */
  readonly headersTimeoutMs: number;
  /** The time between two requests. Longer than the usual minute between two scrapes. */
  readonly idleTimeoutMs: number;
  /** Maximum time in which a client reads nothing of its answer. */
  readonly stallTimeoutMs: number;
}

const defaultLimits: WebLimits = {
  maxConnections: 512,
  headersTimeoutMs: 10_000,
  idleTimeoutMs: 65_000,
  stallTimeoutMs: 30_000,
};

/** A connection with TLS costs about 100 KB. */
const defaultTlsLimits: WebLimits = { ...defaultLimits, maxConnections: 256 };

/** Maximum size of the request line and all headers of a request together. */
const maxHeaderBytes = 16 * 1024;

/** Where and how a server listens. */
export interface WebOptions {
  /** At least one. */
  readonly addresses: readonly ListenAddress[];
  /** TLS, users and a rate limit. Absent: every client that reaches the port may read everything. */
  readonly protection?: Protection | undefined;
  /** Defaults to no prefix, and to the origin of each request. */
  readonly place?: Place;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<WebLimits>;
}

/**
 * Starts to listen on every address.
 *
 * @throws ListenError
 */
export async function startWebServer(app: WebApp, options: WebOptions): Promise<WebServer> {
  const { addresses, protection } = options;
  const defaults = protection?.isTls === true ? defaultTlsLimits : defaultLimits;
  const limits = { ...defaults, ...options.limits };
  const guard = new ConnectionGuard(limits.maxConnections);
  const listener = createListener(app, guard, options);
  const servers: Server[] = [];
  const close = async () => {
    protection?.close();
    await Promise.all(servers.map(closeServer));
  };
  for (const address of addresses) {
    const server = createGuardedServer(listener, guard, limits, protection);
    try {
      await listen(server, address);
    } catch (error) {
      await close();
      throw error;
    }
    servers.push(server);
  }
  const scheme = protection?.isTls === true ? 'https' : 'http';
  const urls = servers.map(
    (server) => urlOf(scheme, server.address()) + (options.place?.prefix ?? ''),
  );
  const url = (urls[0] ?? '').replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])/, '$1localhost');
  return { url, urls, close };
}

function listen(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new ListenError(address, error));
    });
    server.listen(address.port, address.host, resolve);
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeIdleConnections();
    setTimeout(() => {
      server.closeAllConnections();
    }, 1_000).unref();
  });
}

function createListener(
  app: WebApp,
  guard: ConnectionGuard,
  { protection, place = { origin: null, prefix: '' } }: WebOptions,
): RequestListener {
  const { origin, prefix } = place;
  // A client of HTTP/1.0 may omit the host. Routes do not depend on it.
  const answer = getRequestListener(app.fetch, { hostname: 'localhost' });
  const route: RequestListener = (request, response) => {
    if (isScrape(request)) app.scrape(request, response);
    else answer(request, response).catch(() => response.destroy());
  };
  return (request, response) => {
    if (!guard.accept(request, response) || refuseOtherSites(request, response, origin)) return;
    const url = withoutPrefix(request, prefix);
    if (url !== null) request.url = url;
    const serve = () => {
      if (url !== null) route(request, response);
      else answerOutside(response, redirection(request, prefix));
    };
    const isAdmitted = protection?.admit(request, response) ?? true;
    if (isAdmitted === true) serve();
    else if (isAdmitted !== false) {
      void isAdmitted.then((isAdmittedLate) => {
        if (isAdmittedLate) serve();
      });
    }
  };
}

/** Answers a request that does not have the prefix. */
function answerOutside(response: ServerResponse, location: string | null): void {
  const headers = { ...textHeaders, ...commonHeaders };
  if (location === null) response.writeHead(404, headers).end('not found\n');
  else response.writeHead(302, { ...headers, Location: location }).end('found\n');
}

function createGuardedServer(
  listener: RequestListener,
  guard: ConnectionGuard,
  limits: WebLimits,
  protection: Protection | undefined,
): Server {
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.headersTimeoutMs / 10,
      keepAliveTimeout: limits.idleTimeoutMs,
    },
    listener,
  );
  server.timeout = limits.stallTimeoutMs;
  if (protection?.isTls === true) encrypt(server, guard, protection);
  server.prependListener('connection', (socket) => {
    guard.admit(socket);
  });
  // Without this, Node.js would ask for the body with 100 Continue.
  server.on('checkContinue', listener);
  return server;
}

/** Lets the server read HTTP from its connections only after a handshake. */
function encrypt(server: Server, guard: ConnectionGuard, protection: Protection): void {
  const readHttp = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    protection.handshake(socket, (secure) => {
      guard.secured(socket, secure);
      for (const read of readHttp) Reflect.apply(read, server, [secure]);
    });
  });
}

function urlOf(scheme: string, bound: AddressInfo | string | null): string {
  if (bound === null || typeof bound === 'string') return '';
  const { address: host } = bound;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
}
