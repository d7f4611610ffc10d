/** An HTTP proxy with the method CONNECT. It ends with the test. */
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

export interface ProxyRequest {
  /** The host and port that the client wants, as sent. */
  readonly target: string;
  /** The header `Proxy-Authorization`. */
  readonly authorization: string | undefined;
}

export interface ConnectProxy {
  /** Its origin. */
  readonly url: string;
  readonly requests: readonly ProxyRequest[];
  /** The number of connections of clients that are open. */
  readonly open: () => number;
  /** Closes every connection. */
  readonly hangUp: () => void;
  /** Answers instead of opening a tunnel. `null` for tunnels. */
  misbehave: ((socket: Duplex, request: ProxyRequest) => void) | null;
}

export interface ConnectProxyOptions {
  /** The port on this machine where every tunnel ends. Defaults to the port that the client wants. */
  readonly port?: number;
  /** Defaults to 127.0.0.1. */
  readonly host?: string;
  /** How long a tunnel takes to open. Defaults to no time. */
  readonly delayMs?: () => number;
  /** Serves HTTPS with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

export async function startConnectProxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const { host = '127.0.0.1', tls } = options;
  const sockets = new Set<Duplex>();
  const requests: ProxyRequest[] = [];
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined);
    const target = incoming.url ?? '';
    const request = { target, authorization: incoming.headers['proxy-authorization'] };
    requests.push(request);
    if (proxy.misbehave === null) {
      const open = () => {
        tunnel(socket, options.port ?? Number(/\d+$/.exec(target)));
      };
      if (options.delayMs === undefined) open();
      else setTimeout(open, options.delayMs());
    } else {
      // Without this, the connection would stay after the client has closed it.
      socket.resume().on('end', () => socket.end());
      proxy.misbehave(socket, request);
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve);
  });
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    server.close();
    hangUp();
  });
  const { port } = server.address() as AddressInfo;
  // Node.js warns of an address as the name of a server with TLS.
  const origin =
    tls === undefined ? `http://${host.includes(':') ? `[${host}]` : host}` : 'https://localhost';
  const proxy: ConnectProxy = {
    url: `${origin}:${port}`,
    requests,
    open: () => sockets.size,
    hangUp,
    misbehave: null,
  };
  return proxy;
}

function tunnel(client: Duplex, port: number): void {
  const upstream = connect(port, '127.0.0.1', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    client.pipe(upstream).pipe(client);
  });
  upstream.on('error', () => client.destroy());
  upstream.on('close', () => client.destroy());
  client.on('close', () => upstream.destroy());
}
