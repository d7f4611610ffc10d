/** The requirements of a request before it is sent: a turn of the rate limit, and a connection. */
import type { Connection, ConnectionPool } from './connections.ts';
import type { QueuedRequest, RateLimit, Token } from './rate-limit.ts';

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
export function acquirePermit(
  limit: RateLimit,
  pool: ConnectionPool,
  { signal, isFirst, isOutdated, onTurn }: PermitOptions,
): Promise<Permit | null> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let connection: Connection | null = null;
    let hasTurn = false;
    const end = () => {
      signal.removeEventListener('abort', abort);
      pool.leave(borrower);
    };
    const fail = (error: Error) => {
      limit.leave(request);
      end();
      reject(error);
    };
    const abort = () => {
      fail(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const borrower = {
      onFree: () => {
        limit.serve();
      },
      onFailure: fail,
    };
    const enter = () => {
      if (!hasTurn) onTurn();
      hasTurn = true;
      if (isOutdated()) {
        end();
        resolve(null);
        return 'gone';
      }
      connection = pool.borrow(borrower);
      return connection === null ? 'closed' : 'open';
    };
    const request: QueuedRequest = {
      gate: { group: pool, enter },
      isFirst,
      onTurn: (token) => {
        end();
        resolve(connection && { token, connection });
      },
    };
    signal.addEventListener('abort', abort);
    limit.enqueue(request);
  });
}
