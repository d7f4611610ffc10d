/** The keep-alive connections to the service. They are opened on demand, and used by one request at a time. */
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { CodedError } from '../model/coded-error.ts';
import { connectionFailure } from './http-request.ts';
import { clientOn, isUsable, openSocket } from './open-socket.ts';
import { isSameRoute, type Route } from './routes.ts';

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

interface PooledConnection extends Connection {
  readonly socket: Socket;
  readonly idleTimer: NodeJS.Timeout;
}

/** The connections of one account to one endpoint, by one route. */
export class ConnectionPool {
  readonly #origin: URL;
  readonly #route: Route;
  #bounds: PoolBounds;
  /** Idle connections, the last used one last. The other side is least likely to close that one. */
  #idle: PooledConnection[] = [];
  /** One controller for each connection that is open or opening. Its abort closes the connection. */
  readonly #open = new Set<AbortController>();
  #connecting = 0;
  #isClosed = false;
  /** Borrowers that wait for a connection, in the order in which they asked. */
  readonly #borrowers = new Set<Borrower>();

  /** The TLS session. With it, the next connection skips a part of the handshake. */
  #tlsSession: Buffer | undefined;

  constructor(origin: URL, route: Route, bounds: PoolBounds) {
    this.#origin = origin;
    this.#route = route;
    this.#bounds = bounds;
  }

  /** Whether the connections of this pool lead to an endpoint by a route. */
  leadsTo({ origin }: URL, route: Route): boolean {
    return origin === this.#origin.origin && isSameRoute(route, this.#route);
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
    for (const connection of this.#open) connection.abort();
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
    const { connectTimeoutMs: timeoutMs } = this.#bounds;
    const connection = new AbortController();
    const { signal } = connection;
    const timer = setTimeout(() => {
      connection.abort(this.#tooLate(timeoutMs));
    }, timeoutMs);
    const closed = () => {
      // Also closes the connections behind it, such as the one to a proxy.
      connection.abort();
      this.#open.delete(connection);
      this.#openWhereNeeded();
    };
    this.#open.add(connection);
    this.#connecting += 1;
    openSocket(this.#origin, {
      route: this.#route,
      timeoutMs,
      signal,
      tlsSession: this.#tlsSession,
      onTlsSession: (session) => {
        this.#tlsSession = session;
      },
    })
      .finally(() => {
        clearTimeout(timer);
        this.#connecting -= 1;
      })
      .then(
        (socket) => {
          if (socket.closed) closed();
          else socket.once('close', closed);
          this.#offer(socket);
        },
        (error: unknown) => {
          this.#failed(signal.aborted ? signal.reason : error);
          closed();
        },
      );
  }

  #tooLate(timeoutMs: number): CodedError {
    const { proxy } = this.#route;
    const way = proxy === null ? 'to the endpoint' : `through the proxy ${proxy.host}`;
    return new CodedError('Timeout', `no connection ${way} within ${timeoutMs} ms`);
  }

  #failed(error: unknown): void {
    const [borrower] = this.#borrowers;
    if (borrower === undefined) return;
    this.#borrowers.delete(borrower);
    borrower.onFailure(connectionFailure(error instanceof Error ? error : new Error('aborted')));
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

/**
 * The connections of the program, with one pool for each account, endpoint and route. An account with slow
 * answers, or a host or proxy that cannot be reached, therefore takes no connection from others. The HTTP
 * request has the time limits.
 */
export class ConnectionPools {
  /** By account. Pools of former endpoints and routes stay: their connections close when they are idle. */
  readonly #pools = new Map<string, ConnectionPool[]>();

  /** @param origin such as `https://cvm.tencentcloudapi.com` */
  poolOf(account: string, origin: URL, route: Route, bounds: PoolBounds): ConnectionPool {
    const pools = this.#pools.get(account) ?? [];
    this.#pools.set(account, pools);
    let pool = pools.find((each) => each.leadsTo(origin, route));
    if (pool === undefined) {
      pool = new ConnectionPool(origin, route, bounds);
      pools.push(pool);
    }
    pool.setBounds(bounds);
    return pool;
  }

  /** Ends the connections of all other accounts, also those with a request in flight. */
  keepOnly(accounts: ReadonlySet<string>): void {
    for (const [account, pools] of this.#pools) {
      if (accounts.has(account)) continue;
      for (const pool of pools) pool.close();
      this.#pools.delete(account);
    }
  }

  /** Ends every connection, also those with a request in flight. */
  close(): void {
    this.keepOnly(new Set());
  }
}
