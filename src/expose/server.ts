/** The HTTP server of the daemon: owns the listening socket. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { PublicUrl } from './external-url.ts';
import { formatListenAddress, ListenError, type ListenAddress } from './listen-address.ts';
import { notFound, textAnswer, type Answer } from './answers.ts';
import type { App } from './app.ts';
import type { WebProtection } from './web-config/protection.ts';

/** Limits that keep one client from holding the server. Tests shorten them. */
export interface WebLimits {
  /**
   * Maximum number of open connections of an address that is listened on. A further one replaces the oldest. A
   * connection with TLS costs about 100 KB. Defaults to 256.
   */
  readonly maxConnections?: number;
  /** From the connection, or from the first byte of a further request, to the end of the request. Defaults to 10 s. */
  readonly requestTimeoutMs?: number;
  /** The time between two requests. Defaults to 65 s, longer than the usual minute between two scrapes. */
  readonly idleTimeoutMs?: number;
  /** Maximum time in which a client reads nothing of its answer. Defaults to 30 s. */
  readonly stallTimeoutMs?: number;
}

/** Maximum size of the request line and all headers of a request together. */
const maxHeaderBytes = 16 * 1024;
/**
 * Maximum number of requests of a connection that wait for an earlier answer. Scrapers and browsers do not send requests
 * ahead, but with TLS some overlap with the end of an answer.
 */
const maxPipelined = 16;

/** Path and query. A client may send the whole URL, as for a proxy, with its fragment. */
const requestTarget = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/i;

/** `.` or `..` in a path. A proxy may resolve it and let the request pass for another path than ours. */
const dotSegment = /[/\\](?:\.|%2e){1,2}(?:[/\\]|$)/i;

/** Where and how a server listens. */
export interface WebOptions {
  /** At least one. */
  readonly addresses: readonly ListenAddress[];
  /** TLS and users. Absent: every client that reaches the port may read everything. */
  readonly protection?: WebProtection | undefined;
  /** Defaults to no prefix. */
  readonly publicUrl?: PublicUrl;
  readonly limits?: WebLimits;
  /** Minimum time between two renderings of `/metrics`. Defaults to that of the exposition. */
  readonly minRenderMs?: number | undefined;
}

/**
 * Starts to listen on every address. The daemon starts with an app that refuses, and calls `serve` when it has read its
 * records.
 *
 * @throws ListenError
 */
export async function startWebServer(firstApp: App, options: WebOptions) {
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
    for (const address of addresses) open.push(await listen(app, address, options));
  } catch (error) {
    await close();
    throw error;
  }
  /** The URLs of all addresses as they are, such as `http://[::]:10042` for every address of the machine. */
  const urls = open.map((listener) => listener.url);
  /** The URL of the first address for a person, such as `http://localhost:10042`, with the prefix. */
  const url = (urls[0] ?? '').replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])/, '$1localhost');
  /** Answers all further requests with another app. */
  const serve = (next: App) => {
    currentApp = next;
  };
  return { url, urls, serve, close };
}

async function listen(app: App, address: ListenAddress, options: WebOptions) {
  const { limits = {}, protection, publicUrl } = options;
  const { maxConnections = 256, requestTimeoutMs = 10_000 } = limits;
  const { idleTimeoutMs = 65_000, stallTimeoutMs = 30_000 } = limits;
  const serverOptions: ServerOptions = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: requestTimeoutMs / 10,
    keepAliveTimeout: idleTimeoutMs,
    joinDuplicateHeaders: true,
  };
  const tlsServer = protection?.createServer(serverOptions) ?? null;
  const server = tlsServer ?? createServer(serverOptions);
  server.timeout = stallTimeoutMs;
  const connections = boundConnections(server, maxConnections);
  try {
    await once(server.listen(address.port, address.host), 'listening');
  } catch (error) {
    throw new ListenError(address, error);
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('not a TCP server');
  server.on('request', createListener(app, options, /^(?:127\.|::1$)/.test(bound.address)));
  const close = async () => {
    const closed = once(server.close(), 'close');
    setTimeout(() => {
      for (const socket of connections) socket.destroy();
    }, 1_000).unref();
    await closed;
  };
  const scheme = tlsServer === null ? 'http' : 'https';
  const host = formatListenAddress({ host: bound.address, port: bound.port });
  return { url: `${scheme}://${host}${publicUrl?.prefix ?? ''}`, close };
}

/**
 * A further connection replaces the oldest one. So clients that hold many connections open do not keep a scraper
 * out, and file descriptors remain for records and requests of the daemon. `server.maxConnections` would
 * refuse the newest one: a client that opens a connection for each one that times out would then hold all connections.
 */
function boundConnections(server: Server, max: number): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  server.prependListener('connection', (socket: Socket) => {
    const [oldest] = connections;
    if (connections.size >= max) oldest?.destroy();
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}

/** @param isLocal true: only clients of this machine can connect, so the host of each request is checked */
function createListener(
  app: App,
  { protection, publicUrl = { host: null, prefix: '' } }: WebOptions,
  isLocal: boolean,
): RequestListener {
  const { prefix } = publicUrl;
  const appOfHost: App = (path, query, request) => {
    // A scrape or a probe may use any name of the host.
    const isOpen = path === '/metrics' || path.startsWith('/-/');
    return isOpen || isOwnHost(request.headers.host, publicUrl.host)
      ? app(path, query, request)
      : textAnswer(403, unknownHostText);
  };
  const unprotected = isLocal ? appOfHost : app;
  const answer = protection?.protect(unprotected) ?? unprotected;
  const answerTo = (request: IncomingMessage): Answer | Promise<Answer> => {
    // Node.js joins two headers. A proxy could follow the one, and this server the other.
    if (request.headers.host?.includes(',') === true) {
      return textAnswer(400, 'more than one host\n', { Connection: 'close' });
    }
    const [, path = '', query = ''] = requestTarget.exec(request.url ?? '') ?? [];
    if (!path.startsWith(`${prefix}/`) || dotSegment.test(path)) {
      return path === '/' || path === prefix
        ? textAnswer(302, 'found\n', { Location: `${prefix}/${query}` })
        : notFound;
    }
    return answer(path.slice(prefix.length), query, request);
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const answer = answerTo(request);
      // An answer that is rendered already goes out without a turn of the event loop.
      const { body, headers, status } = answer instanceof Promise ? await answer : answer;
      response.writeHead(status, headers).end(body);
    } catch {
      response.destroy();
    }
  };
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    // An answer has no socket while it waits for an earlier one of its connection.
    const count = response.socket === null ? (waiting.get(socket) ?? 0) + 1 : 0;
    waiting.set(socket, count);
    if (count >= maxPipelined) socket.destroy();
    else void respond(request, response);
  };
}

const unknownHostText =
  'this host name is not served here: use localhost or an address, or name the URL with --web.external-url\n';

/**
 * True for `localhost`, an IP address and the external host: no other site can own these names. A site can give its own
 * name the address 127.0.0.1, and its pages could then read ours (DNS rebinding).
 */
function isOwnHost(host: string | undefined, externalHost: string | null): boolean {
  const name = (host ?? 'localhost').replace(/:\d*$/, '').toLowerCase();
  return name === 'localhost' || name === externalHost || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}
