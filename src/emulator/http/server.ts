/** The HTTP server of the emulator. It passes every request to the handler. */
import { unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { largestBodyBytes } from '../protocol/decode.ts';
import type { EmulatorReply, EmulatorRequest } from '../protocol/message.ts';
import type { Clock } from '../state/clock.ts';
import { deliver, httpDate } from './deliver.ts';

/** The bound is large, so that the service refuses an oversized query, not the server. */
const maxHeaderBytes = 128 * 1024;

export interface HttpHandler {
  readonly handle: (request: EmulatorRequest) => EmulatorReply;
  /** Answers input that is not a valid HTTP request. */
  readonly refuse: (
    code: 'InvalidRequest' | 'RequestSizeLimitExceeded' | 'InternalError',
  ) => EmulatorReply;
  /** The clock of the Date header of every answer. */
  readonly clock: Clock;
}

/** The address that the server listens on, or the path of a Unix socket. */
export type ServerAddress =
  | { readonly host: string; readonly port: number }
  | { readonly socketPath: string };

export interface ServerOptions {
  readonly address: ServerAddress;
  /** Maximum number of requests per connection. 0 for no limit. */
  readonly requestsPerConnection: number;
  /** Maximum idle time of a connection. */
  readonly idleConnectionMs: number;
}

export interface RunningServer {
  /** The base URL, such as `http://127.0.0.1:35431`, without a final slash. `unix:PATH` for a Unix socket. */
  readonly url: string;
  /** Closes every connection. */
  readonly close: () => Promise<void>;
}

/** Starts an HTTP/1.1 server. Port 0 selects a free port. */
export async function serve(handler: HttpHandler, options: ServerOptions): Promise<RunningServer> {
  const { address } = options;
  const server = createServer({ maxHeaderSize: maxHeaderBytes, requireHostHeader: false });
  server.maxRequestsPerSocket = options.requestsPerConnection;
  server.keepAliveTimeout = options.idleConnectionMs;
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    void answer(request, response, handler);
  };
  server.on('request', respond);
  // A request with an unusual Expect header gets a normal answer.
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
  const { method = '', url: target = '', headers } = request;
  try {
    const body = await readBody(request);
    await deliver(handler.handle({ method, target, headers, body }), response, handler.clock);
  } catch {
    // If the client has disconnected, nothing can be sent. Otherwise the error is a bug of the emulator.
    if (response.destroyed) return;
    if (response.headersSent) response.destroy();
    else await deliver(handler.refuse('InternalError'), response, handler.clock);
  }
}

/** Reads the body. Stops soon after the maximum size, so that the handler sees that it is too large. */
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

/** Whether the Unix socket belongs to a process that no longer runs. */
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
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
