/** Bounds the resources of each client, so that the server can always answer a scrape. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Scrapers and browsers do not send requests ahead of the answers. */
const maxPipelined = 16;

/**
 * Decides which connections are served. Their number is bounded, so that enough file descriptors remain for
 * records and requests of the daemon. A further connection replaces the one that has had no request for the
 * longest time. If every connection has a request, it replaces the oldest one that is being answered. A
 * client that reads its answers is never replaced.
 */
export class ConnectionGuard {
  readonly #maxConnections: number;
  /**
   * Connections without a request. The one without a request for the longest time comes first.
   */
  readonly #waiting = new Set<Socket>();
  /** Connections with unanswered requests, and the number of these; the oldest first. */
  readonly #answering = new Map<Socket, number>();
  /** Connections that end after the present answer. Further input on them is ignored. */
  readonly #ending = new WeakSet<Socket>();

  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections;
  }

  /** Accepts a new connection. */
  admit(socket: Socket): void {
    if (this.#waiting.size + this.#answering.size >= this.#maxConnections) this.#evict();
    this.#await(socket);
  }

  /** Knows a connection after its handshake by the socket that its requests have. */
  secured(socket: Socket, secure: Socket): void {
    this.#forget(socket);
    this.#await(secure);
  }

  /** Whether the caller must answer the request. Otherwise it is already answered or dropped. */
  accept(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    if (this.#ending.has(socket)) return false;
    const unanswered = (this.#answering.get(socket) ?? 0) + 1;
    if (unanswered > maxPipelined) {
      socket.destroy();
      return false;
    }
    this.#waiting.delete(socket);
    this.#answering.set(socket, unanswered);
    response.once('close', () => {
      this.#answered(socket);
    });
    if (!hasBody(request)) return true;
    this.#ending.add(socket);
    refuseBody(response);
    return false;
  }

  #await(socket: Socket): void {
    this.#waiting.add(socket);
    socket.once('close', () => {
      this.#forget(socket);
    });
  }

  #answered(socket: Socket): void {
    const unanswered = (this.#answering.get(socket) ?? 0) - 1;
    if (unanswered > 0) {
      this.#answering.set(socket, unanswered);
    } else if (this.#answering.delete(socket) && !socket.destroyed) {
      this.#waiting.add(socket);
    }
  }

  #evict(): void {
    const [longestWaiting] = this.#waiting;
    const [longestAnswering] = this.#answering.keys();
    const socket = longestWaiting ?? longestAnswering;
    if (socket === undefined) return;
    this.#forget(socket);
    socket.destroy();
  }

  #forget(socket: Socket): void {
    this.#waiting.delete(socket);
    this.#answering.delete(socket);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Closes the connection, because the next bytes on it are the body and not a request. */
function refuseBody(response: ServerResponse): void {
  response
    .writeHead(413, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
    .end('requests with a body are not accepted\n');
}
