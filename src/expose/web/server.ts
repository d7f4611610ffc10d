/** The HTTP server of the daemon: owns the listening socket. */
import { codeOf } from '../../model/errors.ts';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { WebApp } from './app.ts';
import { ConnectionGuard } from './guard.ts';
import { formatListenAddress, type ListenAddress } from './listen-address.ts';
import { refuseOtherSites } from './other-sites.ts';
import { isScrape } from './scrape.ts';

export interface WebServer {
  /** The URL of the server for a person, such as `http://localhost:10042`. */
  readonly url: string;
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

/** Maximum size of the request line and all headers of a request together. */
const maxHeaderBytes = 16 * 1024;

/**
 * Starts to listen.
 *
 * @param limits limits that differ from the defaults
 * @throws ListenError
 */
export async function startWebServer(
  app: WebApp,
  address: ListenAddress,
  limits: Partial<WebLimits> = {},
): Promise<WebServer> {
  const server = createGuardedServer(app, { ...defaultLimits, ...limits });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new ListenError(address, error));
    });
    server.listen(address.port, address.host, resolve);
  });
  return {
    url: urlOf(server.address()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeIdleConnections();
        setTimeout(() => {
          server.closeAllConnections();
        }, 1_000).unref();
      }),
  };
}

function createGuardedServer(app: WebApp, limits: WebLimits): Server {
  const guard = new ConnectionGuard(limits.maxConnections);
  // A client of HTTP/1.0 may omit the host. Routes do not depend on it.
  const answer = getRequestListener(app.fetch, { hostname: 'localhost' });
  const listener: RequestListener = (request, response) => {
    if (!guard.accept(request, response) || refuseOtherSites(request, response)) return;
    if (isScrape(request)) app.scrape(request, response);
    else answer(request, response).catch(() => response.destroy());
  };
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
  server.on('connection', (socket) => {
    guard.admit(socket);
  });
  // Without this, Node.js would ask for the body with 100 Continue.
  server.on('checkContinue', listener);
  return server;
}

function urlOf(bound: AddressInfo | string | null): string {
  if (bound === null || typeof bound === 'string') return '';
  const isAny = bound.address === '::' || bound.address === '0.0.0.0';
  const host = isAny ? 'localhost' : bound.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
}
