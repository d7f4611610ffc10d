import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { WebConfigStatus } from './metrics/status-families.ts';

/** What stands between the clients and the routes: TLS and users. */
export interface Protection {
  /** Whether connections begin with a handshake. Never changes. */
  readonly isTls: boolean;
  /** Whether clients need a user and a password. */
  readonly hasUsers: boolean;
  /** A server that reads HTTP behind TLS, if there is TLS. */
  createServer(options: ServerOptions): Server;
  /** Whether the caller must answer the request. Otherwise it is already answered. Never rejects. */
  admit(request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean>;
  status(): WebConfigStatus;
  close(): void;
}
