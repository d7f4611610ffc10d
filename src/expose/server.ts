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

export type WebServer = Readonly<Awaited<ReturnType<typeof startWebServer>>>;

/** The limits of a client. */
const defaultLimits = {
  /**
   * Maximum number of open connections of an address that is listened on. A further one replaces the oldest. A
   * connection with TLS costs about 100 KB.
   */
  maxConnections: 256,
  /** The time from the connection, or from the first byte of a further request, to the end of the request. */
  requestTimeoutMs: 10_000,
  /** The time between two requests. Longer than the usual minute between two scrapes. */
  idleTimeoutMs: 65_000,
  /** Maximum time in which a client reads nothing of its answer. */
  stallTimeoutMs: 30_000,
};
export type WebLimits = Readonly<typeof defaultLimits>;

/** Maximum size of the request line and all headers of a request together. */
const maxHeaderBytes = 16 * 1024;
/** Scrapers and browsers do not send requests ahead of the answers, but with TLS some overlap with the end of one. */
const maxPipelined = 16;

/** Path and query. A client may send the whole URL, as for a proxy, with its fragment. */
const target = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/i;

/** Other programs may read a path with one as another path. Ours would be among them. */
const dotSegment = /[/\\](?:\.|%2e){1,2}(?:[/\\]|$)/i;

/** Where and how a server listens. */
export interface WebOptions {
  /** At least one. */
  readonly addresses: readonly ListenAddress[];
  /** TLS and users. Absent: every client that reaches the port may read everything. */
  readonly protection?: WebProtection | undefined;
  /** Defaults to no prefix. */
  readonly publicUrl?: PublicUrl;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<WebLimits>;
  /** Minimum time between two renderings of `/metrics`. Defaults to that of the exposition. */
  readonly minRenderMs?: number | undefined;
}

/**
 * Starts to listen on every address.
 *
 * @throws ListenError
 */
export async function startWebServer(firstApp: App, options: WebOptions) {
  let currentApp = firstApp;
  const app: App = (path, query, request) => currentApp(path, query, request);
  const { addresses, protection } = options;
  const open: Awaited<ReturnType<typeof listen>>[] = [];
  /** Stops listening, waits for running answers, and closes idle connections. */
  const close = async () => {
    protection?.close();
    await Promise.all(open.map((each) => each.close()));
  };
  try {
    for (const address of addresses) open.push(await listen(app, address, options));
  } catch (error) {
    await close();
    throw error;
  }
  /** The URLs of all addresses as they are, such as `http://[::]:10042` for every address of the machine. */
  const urls = open.map((each) => each.url);
  /** The URL of the first address for a person, such as `http://localhost:10042`, with the prefix. */
  const url = (urls[0] ?? '').replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])/, '$1localhost');
  /** Answers all further requests with another app. */
  const serve = (next: App) => {
    currentApp = next;
  };
  return { url, urls, serve, close };
}

async function listen(app: App, address: ListenAddress, options: WebOptions) {
  const { protection } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const serverOptions: ServerOptions = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: limits.requestTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.requestTimeoutMs / 10,
    keepAliveTimeout: limits.idleTimeoutMs,
    joinDuplicateHeaders: true,
  };
  const tlsServer = protection?.createServer(serverOptions) ?? null;
  const server = tlsServer ?? createServer(serverOptions);
  server.timeout = limits.stallTimeoutMs;
  const connections = boundConnections(server, limits.maxConnections);
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
  return { url: `${scheme}://${host}${options.publicUrl?.prefix ?? ''}`, close };
}

/**
 * A further connection replaces the oldest one. So clients that hold many connections open do not keep a scraper
 * out, and file descriptors remain for records and requests of the daemon. `server.maxConnections` would
 * refuse the newest one: a client that opens a connection for each one that times out would then hold all places.
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

/** @param isLocal whether only clients of this machine can connect */
function createListener(
  app: App,
  { protection, publicUrl = { host: null, prefix: '' } }: WebOptions,
  isLocal: boolean,
): RequestListener {
  const { prefix } = publicUrl;
  const appOfHost: App = (path, query, request) => {
    // No scrape and no probe is cut off.
    const isOpen = path === '/metrics' || path.startsWith('/-/');
    return isOpen || isOwnHost(request.headers.host, publicUrl.host)
      ? app(path, query, request)
      : textAnswer(403, unknownHostText);
  };
  const unprotected = isLocal ? appOfHost : app;
  const answer = protection?.protect(unprotected) ?? unprotected;
  const answerTo = (request: IncomingMessage): Answer | Promise<Answer> => {
    // Two headers, joined. Another server could heed the other one.
    if (request.headers.host?.includes(',') === true) {
      return textAnswer(400, 'more than one host\n', { Connection: 'close' });
    }
    const [, path = '', query = ''] = target.exec(request.url ?? '') ?? [];
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
      // A scrape gets what is rendered at once.
      const { body, headers, status } = answer instanceof Promise ? await answer : answer;
      response.writeHead(status, headers).end(body);
    } catch {
      response.destroy();
    }
  };
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    // An answer has no socket while it waits for the one before.
    const count = response.socket === null ? (waiting.get(socket) ?? 0) + 1 : 0;
    waiting.set(socket, count);
    if (count >= maxPipelined) socket.destroy();
    else void respond(request, response);
  };
}

const unknownHostText =
  'this host name is not served here: use localhost or an address, or name the URL with --web.external-url\n';

/**
 * Whether the host of a request is one that only this machine or its operator decides about. Another site can give
 * its own name the address 127.0.0.1, and its pages could then read ours (DNS rebinding).
 */
function isOwnHost(host: string | undefined, externalHost: string | null): boolean {
  const name = (host ?? 'localhost').replace(/:\d*$/, '').toLowerCase();
  return name === 'localhost' || name === externalHost || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}
