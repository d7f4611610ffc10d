/** The requirements of a request before it is sent: a turn of the rate limit, and a connection. */
import type { Connection, ConnectionPool } from './connections.ts';
import type { RateLimit, Token } from './rate-limit.ts';

export interface Permit {
  readonly token: Token;
  readonly connection: Connection;
}

export interface PermitOptions {
  readonly signal: AbortSignal;
  /** Whether the request goes before requests that already wait. */
  readonly isFirst: boolean;
  /** Called once, when the rate limit has a turn. The request then waits only for its connection. */
  readonly onTurn: () => void;
  /** Whether the request must be created again for another connection. Asked at each turn. */
  readonly isOutdated: () => boolean;
}

/**
 * Waits for a turn of the rate limit and for a connection. While the connection is opened, the request has no
 * turn. A host that does not answer therefore delays no other target.
 *
 * @returns `null` when the request is outdated
 * @throws CodedError `Timeout` or `NetworkError` when no connection could be opened
 * @throws the signal's reason when it aborts
 */
export async function acquirePermit(
  limit: RateLimit,
  pool: ConnectionPool,
  { signal, isFirst, isOutdated, onTurn }: PermitOptions,
): Promise<Permit | null> {
  const ending = new AbortController();
  const abort = () => {
    ending.abort(signal.reason);
  };
  const borrower = {
    onFree: () => {
      limit.serve();
    },
    onFailure: (error: Error) => {
      ending.abort(error);
    },
  };
  const borrowed: { connection: Connection | null; hasTurn: boolean } = {
    connection: null,
    hasTurn: false,
  };
  const enter = () => {
    if (!borrowed.hasTurn) onTurn();
    borrowed.hasTurn = true;
    if (isOutdated()) return true;
    borrowed.connection = pool.borrow(borrower);
    return borrowed.connection !== null;
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', abort);
  try {
    const token = await limit.acquire(ending.signal, { gate: { group: pool, enter }, isFirst });
    const { connection } = borrowed;
    if (connection === null) {
      token.unanswered();
      return null;
    }
    return { token, connection };
  } finally {
    signal.removeEventListener('abort', abort);
    pool.leave(borrower);
  }
}
