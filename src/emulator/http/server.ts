/** The emulator's HTTP server. It decides nothing: every request goes to the handler. */
import { unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../time/clock.ts';
import { largestBodyBytes } from '../protocol/decode.ts';
import type { EmulatorReply, EmulatorRequest } from '../protocol/message.ts';
import { deliver, deliverWhole, httpDate } from './deliver.ts';

/** So large that an oversized query is refused by the service and not by the server. */
const maxHeaderBytes = 128 * 1024;

const noBody = new Uint8Array();

export interface HttpHandler {
  readonly handle: (request: EmulatorRequest) => EmulatorReply;
  /** Answers what is no HTTP request that the handler could be given. */
  readonly refuse: (
    code: 'InvalidRequest' | 'RequestSizeLimitExceeded' | 'InternalError',
  ) => EmulatorReply;
  /** What the Date of every answer says. */
  readonly clock: Clock;
}

/** Where the server listens: an address, or the path of a Unix socket. */
export type ServerAddress =
  | { readonly host: string; readonly port: number }
  | { readonly socketPath: string };

export interface ServerOptions {
  readonly address: ServerAddress;
  /** PEM; `null` for plain HTTP. */
  readonly certificate: { readonly cert: string; readonly key: string } | null;
  /** How many requests a connection may carry; `null` without end. */
  readonly requestsPerConnection: number | null;
  /** How long a connection may be idle. */
  readonly idleConnectionMs: number;
}

export interface RunningServer {
  readonly url: string;
  /** Ends every connection. */
  readonly close: () => Promise<void>;
}

/** Starts to serve HTTP/1.1. Port 0 takes a free one. */
export async function serve(handler: HttpHandler, options: ServerOptions): Promise<RunningServer> {
  const { address, certificate } = options;
  const http = { maxHeaderSize: maxHeaderBytes, requireHostHeader: false };
  const server =
    certificate === null ? createServer(http) : createTlsServer({ ...http, ...certificate });
  server.maxRequestsPerSocket = options.requestsPerConnection ?? 0;
  server.keepAliveTimeout = options.idleConnectionMs;
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    if (hasBody(request)) void answer(request, response, handler);
    else answerBodiless(request, response, handler);
  };
  server.on('request', respond);
  // A client that asks for something unusual with Expect is answered like any other.
  server.on('checkExpectation', respond);
  server.on('connect', (_request, socket) => {
    writeRaw(socket, handler.refuse('InvalidRequest'), handler.clock);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const code = isTooLarge ? 'RequestSizeLimitExceeded' : 'InvalidRequest';
    writeRaw(socket, handler.refuse(code), handler.clock);
  });
  await listen(server, address).catch(async (error: unknown) => {
    if (!('socketPath' in address) || !(await isDeserted(address.socketPath))) throw error;
    await unlink(address.socketPath);
    await listen(server, address);
  });
  return {
    url: urlOf(server, address),
    close: () => close(server),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  handler: HttpHandler,
): Promise<void> {
  try {
    await deliver(handled(request, await readBody(request), handler), response, handler.clock);
  } catch {
    failed(response, handler);
  }
}

/** The same for a request without a body: most of them are answered without the cost of promises. */
function answerBodiless(
  request: IncomingMessage,
  response: ServerResponse,
  handler: HttpHandler,
): void {
  try {
    const reply = handled(request, noBody, handler);
    if (reply.latencyMs === 0 && reply.delivery.kind === 'whole') {
      deliverWhole(reply, response, handler.clock);
      return;
    }
    deliver(reply, response, handler.clock).catch(() => {
      failed(response, handler);
    });
  } catch {
    failed(response, handler);
  }
}

function handled(
  { method = '', url: target = '', headers }: IncomingMessage,
  body: Uint8Array,
  handler: HttpHandler,
): EmulatorReply {
  return handler.handle({ method, target, headers, body });
}

/** Either the client is gone and nothing can be sent, or this is a bug of the emulator. */
function failed(response: ServerResponse, handler: HttpHandler): void {
  if (response.destroyed) return;
  if (response.headersSent) response.destroy();
  else deliverWhole(handler.refuse('InternalError'), response, handler.clock);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** The body; of one that is too large, just enough to show it. */
async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    if (sizeBytes > largestBodyBytes || !Buffer.isBuffer(chunk)) continue;
    chunks.push(chunk);
    sizeBytes += chunk.length;
  }
  return Buffer.concat(chunks);
}

function writeRaw(socket: Duplex, reply: EmulatorReply, clock: Clock): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = Buffer.from(reply.body);
  socket.end(
    `HTTP/1.1 ${reply.status} OK\r\nContent-Type: ${reply.contentType}\r\n` +
      `Date: ${httpDate(clock)}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${reply.body}`,
  );
}

function listen(server: Server, address: ServerAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen('socketPath' in address ? { path: address.socketPath } : address, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Whether a Unix socket was left behind by a process that was killed. */
function isDeserted(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ECONNREFUSED');
    });
  });
}

function urlOf(server: Server, address: ServerAddress): string {
  if ('socketPath' in address) return `unix:${address.socketPath}`;
  const { host } = address;
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const scheme = server instanceof TlsServer ? 'https' : 'http';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
