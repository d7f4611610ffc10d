import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { WebConfigStatus } from '../metrics/monitor-metrics.ts';

/** What stands between the clients and the routes: TLS, users, a rate limit. */
export interface Protection {
  /** Whether connections begin with a handshake. Never changes. */
  readonly isTls: boolean;
  /** Calls `onSecure` when the client has completed its handshake, and may go on. */
  handshake(socket: Socket, onSecure: (secure: TLSSocket) => void): void;
  /** Whether the caller must answer the request. Otherwise it is already answered. Never rejects. */
  admit(request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean>;
  status(): WebConfigStatus;
  /** Ends the handshakes that are under way. */
  close(): void;
}
