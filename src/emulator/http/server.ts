/** The HTTP server of `startEmulator`. It passes every request to the handler, and `deliver.ts` sends the reply. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { largestBodyBytes } from '../protocol/decode.ts';
import { envelope, type EmulatorReply, type EmulatorRequest } from '../protocol/message.ts';
import { ServiceError } from '../protocol/service-error.ts';
import type { Clock } from '../state/clock.ts';
import { deliver } from './deliver.ts';

const connections = {
  /** More than any query of the service may have, so that the service refuses a query that is too long, not Node.js. */
  maxHeaderSize: 1024 * 1024,
  /** More than a busy client leaves a connection unused. Else the server could close it while a request is on its way. */
  keepAliveTimeout: 120_000,
  requireHostHeader: false,
};

export interface RunningServer {
  /** The base URL, such as `http://127.0.0.1:35431`, without a final slash. */
  readonly url: string;
  /** Stops listening, and ends every connection at once. */
  readonly close: () => Promise<void>;
}

/**
 * Starts an HTTP/1.1 server. Port 0 selects a free port.
 *
 * @param clock gives the time of the Date header
 * @throws the system's error when it cannot listen on the address
 */
export async function serve(
  handle: (request: EmulatorRequest) => EmulatorReply,
  clock: Clock,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<RunningServer> {
  /** Never rejects. */
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: target = '', headers } = request;
    try {
      const body = await readBody(request);
      await deliver(handle({ method, target, headers, body }), response, clock);
    } catch {
      // If the client has disconnected, nothing can be sent. Otherwise the error is a bug of the emulator.
      if (response.destroyed) return;
      if (response.headersSent) response.destroy();
      else {
        const failure = new ServiceError('InternalError');
        await deliver(envelope(failure, randomUUID()), response, clock);
      }
    }
  };
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    void answer(request, response);
  };
  const server = createServer(connections, respond);
  // A request with an unusual Expect header gets a normal answer.
  server.on('checkExpectation', respond);
  server.listen({ host, port });
  // Rejects when the server emits an error before it listens.
  await once(server, 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { url: urlOf(server, host), close };
}

/**
 * Reads the body. Drops what comes after the maximum size and one more piece, so that the service sees that the body
 * is too large, and memory stays bounded.
 */
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

function urlOf(server: Server, host: string): string {
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
