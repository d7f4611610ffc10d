/** The keep-alive connections to the service. They are opened on demand, and used by one request at a time. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Client, type Dispatcher } from 'undici';
import { CodedError } from '../model/coded-error.ts';
import { connectionFailure } from './http-request.ts';

/** A connection that is ready to be written to. */
export interface Connection {
  readonly dispatcher: Dispatcher;
  /** Call it when the answer is complete. The next request may then use the connection. */
  readonly release: () => void;
  /** Closes the connection, and aborts every request on it. */
  readonly close: () => void;
}

/** A request that needs a connection. */
export interface Borrower {
  /** Called when a connection may be free. The borrower must then ask again. */
  readonly onFree: () => void;
  /** Called when the connection that was opened for the borrower failed. The borrower no longer waits. */
  readonly onFailure: (error: CodedError) => void;
}

export interface PoolBounds {
  readonly maxConnections: number;
  /** Maximum time to open one connection. */
  readonly connectTimeoutMs: number;
}

/** How long an idle connection is kept. Services close idle connections after 5 s or more. */
const idleMs = 4_000;
/** When the first keep-alive probe is sent. */
const tcpKeepAliveMs = 60_000;

interface PooledConnection extends Connection {
  readonly socket: Socket;
  readonly idleTimer: NodeJS.Timeout;
}

/** The connections of one account to one endpoint. */
export class ConnectionPool {
  readonly #origin: URL;
  #bounds: PoolBounds;
  /** Idle connections, the last used one last. The other side is least likely to close that one. */
  #idle: PooledConnection[] = [];
  readonly #open = new Set<Socket>();
  #connecting = 0;
  #isClosed = false;
  /** Borrowers that wait for a connection, in the order in which they asked. */
  readonly #borrowers = new Set<Borrower>();

  /** The TLS session. With it, the next connection skips a part of the handshake. */
  #tlsSession: Buffer | undefined;

  constructor(origin: string, bounds: PoolBounds) {
    this.#origin = new URL(origin);
    this.#bounds = bounds;
  }

  setBounds(bounds: PoolBounds): void {
    this.#bounds = bounds;
  }

  /** Lends a connection. If none is free, opens one and calls the borrower later. */
  borrow(borrower: Borrower): Connection | null {
    const connection = this.#takeIdle();
    if (connection !== null) {
      this.#borrowers.delete(borrower);
      return connection;
    }
    this.#borrowers.add(borrower);
    this.#openWhereNeeded();
    return null;
  }

  /** The borrower no longer wants a connection. */
  leave(borrower: Borrower): void {
    this.#borrowers.delete(borrower);
  }

  /** Ends every connection, also those with a request in flight. */
  close(): void {
    this.#isClosed = true;
    for (const { idleTimer } of this.#idle) clearTimeout(idleTimer);
    for (const socket of this.#open) socket.destroy();
  }

  #takeIdle(): PooledConnection | null {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined) return null;
      clearTimeout(connection.idleTimer);
      if (isUsable(connection.socket)) return connection;
      connection.close();
    }
  }

  #openWhereNeeded(): void {
    while (
      !this.#isClosed &&
      this.#connecting < this.#borrowers.size &&
      this.#open.size < this.#bounds.maxConnections
    ) {
      this.#openOne();
    }
  }

  #openOne(): void {
    const { connectTimeoutMs } = this.#bounds;
    this.#connecting += 1;
    let isSettled = false;
    const settle = (error: Error | null) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      this.#connecting -= 1;
      if (error === null) this.#offer(socket);
      else this.#failed(socket, connectionFailure(error));
    };
    const socket = this.#connect(() => {
      settle(null);
    });
    const timer = setTimeout(() => {
      settle(
        new CodedError('Timeout', `no connection to the endpoint within ${connectTimeoutMs} ms`),
      );
      socket.destroy();
    }, connectTimeoutMs);
    this.#open.add(socket);
    socket.on('error', settle);
    socket.once('close', () => {
      settle(new Error('the connection was closed before it was open'));
      this.#open.delete(socket);
      this.#openWhereNeeded();
    });
  }

  #connect(onConnected: () => void): Socket {
    const { protocol, hostname, port } = this.#origin;
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    if (protocol === 'http:') {
      const socket = connect({ host, port: Number(port || 80), noDelay: true }, onConnected);
      return socket.setKeepAlive(true, tcpKeepAliveMs);
    }
    const socket = connectTls(
      {
        host,
        port: Number(port || 443),
        ...(isIP(host) === 0 && { servername: host }),
        ALPNProtocols: ['http/1.1'],
        ...(this.#tlsSession !== undefined && { session: this.#tlsSession }),
      },
      onConnected,
    );
    socket.on('session', (session) => {
      this.#tlsSession = session;
    });
    return socket.setNoDelay(true).setKeepAlive(true, tcpKeepAliveMs);
  }

  #failed(socket: Socket, error: CodedError): void {
    socket.destroy();
    const [borrower] = this.#borrowers;
    if (borrower === undefined) return;
    this.#borrowers.delete(borrower);
    borrower.onFailure(error);
  }

  #offer(socket: Socket): void {
    const dispatcher = clientOn(this.#origin, socket);
    const close = () => {
      void dispatcher.destroy();
      socket.destroy();
    };
    const offer = () => {
      if (!isUsable(socket)) return;
      const idleTimer = setTimeout(close, idleMs);
      this.#idle.push({ socket, dispatcher, idleTimer, release: offer, close });
      for (const borrower of [...this.#borrowers]) {
        if (this.#idle.length === 0) return;
        borrower.onFree();
      }
    };
    offer();
  }
}

function isUsable(socket: Socket): boolean {
  return !socket.destroyed && socket.readable && socket.writable;
}

/** A client of undici that uses this connection and opens no other. */
function clientOn(origin: URL, socket: Socket): Client {
  return new Client(origin, {
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      // The client expects no answer before it has sent a request.
      queueMicrotask(() => {
        if (isUsable(socket)) callback(null, socket);
        else callback(new Error('the connection was closed'), null);
      });
    },
  });
}

/**
 * The connections of the program, with one pool for each account and endpoint. An account with slow answers,
 * or a host that cannot be reached, therefore takes no connection from others. The HTTP request has the time
 * limits.
 */
export class ConnectionPools {
  /** By account, then by origin. */
  readonly #pools = new Map<string, Map<string, ConnectionPool>>();

  /** @param origin such as `https://cvm.tencentcloudapi.com` */
  poolOf(account: string, origin: string, bounds: PoolBounds): ConnectionPool {
    const pools = this.#pools.get(account) ?? new Map<string, ConnectionPool>();
    this.#pools.set(account, pools);
    const pool = pools.get(origin) ?? new ConnectionPool(origin, bounds);
    pools.set(origin, pool);
    pool.setBounds(bounds);
    return pool;
  }

  /** Ends the connections of all other accounts, also those with a request in flight. */
  keepOnly(accounts: ReadonlySet<string>): void {
    for (const [account, pools] of this.#pools) {
      if (accounts.has(account)) continue;
      for (const pool of pools.values()) pool.close();
      this.#pools.delete(account);
    }
  }

  /** Ends every connection, also those with a request in flight. */
  close(): void {
    this.keepOnly(new Set());
  }
}
