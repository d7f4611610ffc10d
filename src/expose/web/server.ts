/** The HTTP server of the daemon: owns the listening socket. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { formatListenAddress, type ListenAddress } from './listen-address.ts';

export interface WebServer {
  /** Where a person reaches it, such as `http://localhost:10042`. */
  readonly url: string;
  /** Stops listening, lets answers under way finish, and ends idle connections. */
  close(): Promise<void>;
}

/** A server could not listen; the message says where, and what to do. */
export class ListenError extends Error {
  constructor(address: ListenAddress, cause: Error) {
    const where = formatListenAddress(address);
    super(`cannot listen on ${where}: ${reasonOf(cause)}`, { cause });
    this.name = 'ListenError';
  }
}

function reasonOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  const choose = 'choose another with --web.listen-address=HOST:PORT';
  if (code === 'EADDRINUSE') return `the port is taken; ${choose}`;
  if (code === 'EACCES') return `not permitted; ${choose}, with a port above 1023`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `this machine does not have that address; ${choose}`;
  }
  return error.message;
}

/**
 * Starts to listen.
 *
 * @throws ListenError
 */
export async function startWebServer(app: Hono, address: ListenAddress): Promise<WebServer> {
  const listener = getRequestListener(app.fetch);
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 20_000, keepAliveTimeout: 65_000 },
    (request, response) => {
      void listener(request, response);
    },
  );
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

function urlOf(bound: AddressInfo | string | null): string {
  if (bound === null || typeof bound === 'string') return '';
  const isAny = bound.address === '::' || bound.address === '0.0.0.0';
  const host = isAny ? 'localhost' : bound.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
}
