/** Keeps the server open to a scrape whatever its other clients do: bounds what each may take. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Scrapers and browsers do not send requests ahead of the answers. */
const maxPipelined = 16;

/**
 * Decides who is served. The number of connections is bounded, so that clients that open thousands
 * leave the daemon files enough for its records and its requests to the service: a further one takes
 * the place of the one that has waited the longest without a request, and of one that is being
 * answered only where there is no other. A client that keeps up is never the one to go.
 */
export class ConnectionGuard {
  readonly #maxConnections: number;
  /** Connections without a request, those that have been so the longest first. */
  readonly #waiting = new Set<Socket>();
  /** Connections with unanswered requests, and how many; the oldest first. */
  readonly #answering = new Map<Socket, number>();
  /** Connections that end with the answer under way; what still arrives on them is not looked at. */
  readonly #ending = new WeakSet<Socket>();

  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections;
  }

  /** Takes a new connection in. */
  admit(socket: Socket): void {
    if (this.#waiting.size + this.#answering.size >= this.#maxConnections) this.#evict();
    this.#waiting.add(socket);
    socket.once('close', () => {
      this.#forget(socket);
    });
  }

  /** Whether a request is to be answered; one that is not has been dealt with. */
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

/** The connection ends, since what follows on it is the body and no request. */
function refuseBody(response: ServerResponse): void {
  response
    .writeHead(413, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
    .end('requests with a body are not taken\n');
}
