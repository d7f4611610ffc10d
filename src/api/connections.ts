/** The keep-alive connections to the service: opened when they are needed, lent to one request at a time. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Client, type Dispatcher } from 'undici';
import { CodedError } from '../model/coded-error.ts';
import { connectionFailure } from './http-request.ts';

/** A connection that is ready to be written to. */
export interface Connection {
  readonly dispatcher: Dispatcher;
  /** The request is answered whole: the next one may have the connection. */
  readonly release: () => void;
  /** Ends it, and whatever is under way on it. */
  readonly close: () => void;
}

/** A request that needs a connection. */
export interface Borrower {
  /** A connection may be free now: it is to ask again. */
  readonly onFree: () => void;
  /** The connection that was opened for it failed; it is no longer waited for. */
  readonly onFailure: (error: CodedError) => void;
}

export interface PoolBounds {
  readonly maxConnections: number;
  /** Of making one connection. */
  readonly connectTimeoutMs: number;
}

/** How long a connection is kept that has nothing to do; services close theirs after 5 s and more. */
const idleMs = 4_000;
/** When the other side is first asked whether it is still there. */
const tcpKeepAliveMs = 60_000;

interface PooledConnection extends Connection {
  readonly socket: Socket;
  readonly idleTimer: NodeJS.Timeout;
}

/** The connections of one account to one endpoint. */
export class ConnectionPool {
  readonly #origin: URL;
  #bounds: PoolBounds;
  /** The last used last: it is the one that the other side has kept open the shortest. */
  #idle: PooledConnection[] = [];
  readonly #open = new Set<Socket>();
  #connecting = 0;
  #isClosed = false;
  /** Those whom no connection could be given yet, in the order of their asking. */
  readonly #borrowers = new Set<Borrower>();

  /** Lets the next connection skip a part of the handshake. */
  #tlsSession: Buffer | undefined;

  constructor(origin: string, bounds: PoolBounds) {
    this.#origin = new URL(origin);
    this.#bounds = bounds;
  }

  setBounds(bounds: PoolBounds): void {
    this.#bounds = bounds;
  }

  /** Lends a connection; where none is free, one is opened and the borrower called. */
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

  /** Ends every connection, those with a request in flight too. */
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
      settle(new Error('the connection was closed before it was made'));
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

/** A client of undici's that has this connection and makes no other. */
function clientOn(origin: URL, socket: Socket): Client {
  return new Client(origin, {
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      // The client does not expect the answer before it has asked.
      queueMicrotask(() => {
        if (isUsable(socket)) callback(null, socket);
        else callback(new Error('the connection was closed'), null);
      });
    },
  });
}

/**
 * The connections of the program, one pool for each account and endpoint: an account whose answers are
 * slow, or a host that is not reached, takes no connection from another. Time limits of requests are
 * the HTTP request's own.
 */
export class ConnectionPools {
  readonly #pools = new Map<string, ConnectionPool>();

  /** @param origin such as `https://cvm.tencentcloudapi.com` */
  poolOf(account: string, origin: string, bounds: PoolBounds): ConnectionPool {
    const key = `${account} ${origin}`;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new ConnectionPool(origin, bounds);
      this.#pools.set(key, pool);
    }
    pool.setBounds(bounds);
    return pool;
  }

  /** Ends every connection, those with a request in flight too. */
  close(): void {
    for (const pool of this.#pools.values()) pool.close();
    this.#pools.clear();
  }
}
