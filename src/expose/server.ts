/**
 * The HTTP server of the daemon, which starts it once: listens on each address, and bounds what clients can hold.
 *
 * 1. A new connection is added to `Connections`; too many end another one, by `crowded-connections.ts`.
 * 2. A request that Node.js cannot read is answered by `unreadable-requests.ts`; one without a user by `web-config/`.
 * 3. The path below the prefix goes to the `App`, a page of another site is refused by `other-sites.ts`.
 * 4. The answer is written. While the client has not taken it, it counts against `maxUntakenBytes`.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../log.ts';
import type { PublicUrl } from './external-url.ts';
import {
  formatListenAddress,
  isLoopback,
  ListenError,
  networkOf,
  type ListenAddress,
} from './listen-address.ts';
import { internalError, notFound, textAnswer, type Answer } from './answers.ts';
import type { App } from './app.ts';
import {
  boundUntaken,
  endOneOf,
  openOf,
  stageOf,
  stages,
  type Connection,
} from './crowded-connections.ts';
import { refusalOf } from './other-sites.ts';
import { refuseUnreadable } from './unreadable-requests.ts';
import type { WebProtection } from './web-config/protection.ts';

/** Limits that keep one client from holding the server. Tests shorten them. */
const defaultLimits = {
  /**
   * Maximum number of open connections of an address that is listened on. A further one replaces another one
   * ({@link endOneOf}). A connection with TLS costs about 100 KB.
   */
  maxConnections: 256,
  /** From the connection, or from the first byte of a further request, to the end of the request. */
  requestTimeoutMs: 10_000,
  /** Maximum size of the answers that clients have not taken yet, besides the newest. */
  maxUntakenBytes: 64 * 1024 * 1024,
  /** The time between two requests, longer than the usual minute between two scrapes. */
  idleTimeoutMs: 65_000,
  /** Maximum time in which a client sends nothing, and reads nothing of its answer. */
  stallTimeoutMs: 30_000,
};

/** Maximum size of the request line and all headers of a request together. */
const maxHeaderBytes = 16 * 1024;
/**
 * Maximum number of requests of a connection whose answers are not sent. Scrapers and browsers do not send requests ahead,
 * but with TLS some overlap with the end of an answer.
 */
const maxPipelined = 16;

/** Captures path and query. A client may send the whole URL, as for a proxy, with its fragment. */
const requestTarget = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/i;

/** Finds `.` or `..` in a path. A proxy may resolve it, and so let a request pass for another path than ours. */
const dotSegment = /[/\\](?:\.|%2e){1,2}(?:[/\\]|$)/i;

/** Where and how a server listens. */
export interface WebOptions {
  /** At least one. */
  readonly addresses: readonly ListenAddress[];
  /** TLS and users. Absent: every client that reaches the port may read everything. */
  readonly protection?: WebProtection | undefined;
  /** Defaults to no prefix. */
  readonly publicUrl?: PublicUrl;
  /** The limits that differ from the defaults. */
  readonly limits?: Readonly<Partial<typeof defaultLimits>>;
  /** Minimum time between two renderings of an address. Defaults to 1 s. */
  readonly minRenderMs?: number | undefined;
}

/**
 * Starts to listen on every address. The daemon starts with an app that refuses, and calls `serve` when it has read its
 * records.
 *
 * @throws ListenError if one address fails: then no address is listened on
 */
export async function startWebServer(firstApp: App, options: WebOptions, logger: Logger) {
  let currentApp = firstApp;
  const app: App = (path, query, request) => currentApp(path, query, request);
  const { addresses, protection } = options;
  const open: Awaited<ReturnType<typeof listen>>[] = [];
  /** Stops listening, waits at most 1 s for running answers, then ends all connections. */
  const close = async () => {
    protection?.close();
    await Promise.all(open.map((listener) => listener.close()));
  };
  try {
    for (const address of addresses) open.push(await listen(app, address, options, logger));
  } catch (error) {
    await close();
    throw error;
  }
  /** The URLs of all addresses as they are, such as `http://[::]:10042` for every address of the machine. */
  const urls = open.map((listener) => listener.url);
  /** The URL of the first address for a person, such as `http://localhost:10042`, with the prefix. */
  const url = (urls[0] ?? '').replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])/, '$1localhost');
  /** Answers all further requests with another app. */
  const serve = (replacement: App) => {
    currentApp = replacement;
  };
  return { url, urls, serve, close };
}

/** Listens on one address. */
async function listen(app: App, address: ListenAddress, options: WebOptions, logger: Logger) {
  const { protection, publicUrl } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const { idleTimeoutMs, maxConnections, requestTimeoutMs, stallTimeoutMs } = limits;
  const serverOptions: ServerOptions = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: requestTimeoutMs / 10,
    keepAliveTimeout: idleTimeoutMs,
    joinDuplicateHeaders: true,
    // The answer of Node.js would have no configured header.
    requireHostHeader: false,
  };
  const tlsServer = protection?.createServer(serverOptions) ?? null;
  const server = tlsServer ?? createServer(serverOptions);
  server.timeout = stallTimeoutMs;
  const connections = boundConnections(server, maxConnections);
  refuseUnreadable(server, () => protection?.headers() ?? {});
  try {
    await once(server.listen(address.port, address.host), 'listening');
  } catch (error) {
    throw new ListenError(address, error);
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('not a TCP server');
  const answerOf = createAnswerer(app, options, isLoopback(bound.address));
  const listener = createListener(answerOf, protection, connections, limits, logger);
  // An expectation is ignored, as HTTP allows.
  server.on('request', listener).on('checkExpectation', listener);
  const close = async () => {
    const closed = once(server.close(), 'close');
    setTimeout(() => {
      for (const { socket } of connections.values()) socket.destroy();
    }, 1_000).unref();
    await closed;
  };
  const scheme = tlsServer === null ? 'http' : 'https';
  const host = formatListenAddress({ host: bound.address, port: bound.port });
  return { url: `${scheme}://${host}${publicUrl?.prefix ?? ''}`, close };
}

/** The connections by {@link peerOf}. The one whose last request is the longest ago comes first. */
type Connections = Map<string, Connection>;

/** The address and the port of the client. The sockets below TLS and above it have the same. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/**
 * Keeps at most so many connections open, so that clients that hold many do not keep a scraper out, and file descriptors
 * remain for records and requests of the daemon. `server.maxConnections` would refuse the newest one: a client that opens
 * a connection for each one that times out would then hold all connections.
 */
function boundConnections(server: Server, max: number): Connections {
  const connections: Connections = new Map();
  server.prependListener('connection', (socket: Socket) => {
    const open = openOf(connections);
    if (open.length >= max) endOneOf(open, open);
    const peer = peerOf(socket);
    const network = networkOf(socket.remoteAddress ?? '');
    const connection: Connection = { network, socket, unsent: new Map() };
    connections.set(peer, connection);
    socket.once('close', () => {
      if (connections.get(peer) === connection) connections.delete(peer);
    });
  });
  server.on('timeout', (socket: Socket) => {
    const connection = connections.get(peerOf(socket));
    // A client that waits for our answer is not silent. Writing the answer starts the time again.
    if (connection === undefined || stageOf(connection) !== stages.waits) socket.destroy();
  });
  return connections;
}

/** Gives the answer to a request. A rejection is a bug of this program. */
type Answerer = (request: IncomingMessage) => Promise<Answer>;

/**
 * Creates what checks the user, the host and the path of a request before the app answers it.
 *
 * @param isLocal true: only clients of this machine can connect, so a request of another site is refused
 */
function createAnswerer(
  app: App,
  { protection, publicUrl = { page: null, host: null, prefix: '' } }: WebOptions,
  isLocal: boolean,
): Answerer {
  const { prefix } = publicUrl;
  /** The path below the prefix; empty for the prefix itself and the root; `null` for any other path. */
  const pathBelow = (path: string): string | null => {
    if (path.startsWith(`${prefix}/`) && !dotSegment.test(path)) return path.slice(prefix.length);
    return path === '/' || path === prefix ? '' : null;
  };
  const answerBelow = (path: string | null, query: string, request: IncomingMessage) => {
    const { headers, httpVersion } = request;
    // Node.js joins two hosts by a comma. A proxy could follow the one, and this server the other.
    if (headers.host === undefined ? httpVersion === '1.1' : headers.host.includes(',')) {
      return textAnswer(400, 'one host is needed\n', { Connection: 'close' });
    }
    if (path === null) return notFound;
    if (path === '') return textAnswer(302, 'found\n', { Location: `${prefix}/${query}` });
    // A scrape or a probe may use any name of the host, and costs no rendering of its own.
    if (isLocal && path !== '/metrics' && !path.startsWith('/-/')) {
      const refusal = refusalOf(headers, publicUrl.host);
      if (refusal !== null) return textAnswer(403, refusal);
    }
    return app(path, query, request);
  };
  return async (request) => {
    const [, path = '', query = ''] = requestTarget.exec(request.url ?? '') ?? [];
    const below = pathBelow(path);
    const rejection = await protection?.rejectionOf(below, request);
    return rejection ?? answerBelow(below, query, request);
  };
}

/** Creates what Node.js calls for each request: keeps count of the answers of its connection, and writes its answer. */
function createListener(
  answerOf: Answerer,
  protection: WebProtection | undefined,
  connections: Connections,
  { maxUntakenBytes }: typeof defaultLimits,
  logger: Logger,
): RequestListener {
  const write = ({ unsent }: Connection, response: ServerResponse, answer: Answer) => {
    const { body, headers, status } = answer;
    response.writeHead(status, { ...protection?.headers(), ...headers }).end(body);
    // Most answers are taken at once.
    if (response.socket?.writableLength === 0) return;
    unsent.set(response, body);
    boundUntaken(connections, body, maxUntakenBytes);
  };
  const respond = async (connection: Connection, response: ServerResponse) => {
    const { req: request } = response;
    try {
      write(connection, response, await answerOf(request));
    } catch (err) {
      logger.error('request failed', { path: request.url?.split('?')[0], err });
      if (response.headersSent) response.destroy();
      else write(connection, response, internalError);
    }
  };
  return (request, response) => {
    const { socket } = request;
    const peer = peerOf(socket);
    const connection = connections.get(peer);
    if (connection === undefined) {
      socket.destroy();
      return;
    }
    // Deleted first, so that it is the last in the order.
    connections.delete(peer);
    connections.set(peer, connection);
    const { unsent } = connection;
    unsent.set(response, null);
    response.once('close', () => unsent.delete(response));
    if (unsent.size > maxPipelined) socket.destroy();
    else void respond(connection, response);
  };
}
