/** What a request needs before it is sent: a turn of the rate limit, and a connection. */
import type { Connection, ConnectionPool } from './connections.ts';
import type { RateLimit, Token } from './rate-limit.ts';

export interface Permit {
  readonly token: Token;
  readonly connection: Connection;
}

export interface PermitOptions {
  readonly signal: AbortSignal;
  /** Whether the request goes before those that wait already. */
  readonly isFirst: boolean;
  /** Called once, when the rate limit has a turn. From then on the request waits only for its connection. */
  readonly onTurn: () => void;
  /** Whether the request is to be made differently, with another connection; asked at each turn. */
  readonly isOutdated: () => boolean;
}

/**
 * Waits for a turn of the rate limit and for a connection. While the connection is being made, the
 * request holds no turn. So a host that does not answer delays no other target.
 *
 * @returns `null` once the request is outdated
 * @throws CodedError `Timeout` or `NetworkError` when no connection was made
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
