/** What a web configuration file says, in the words of the program. */
import type { clientAuthOf } from './schema.ts';
import type { SecureContextOptions } from 'node:tls';

export interface WebConfig {
  /** `null` for plain HTTP. */
  readonly tls: TlsConfig | null;
  /** The headers of every answer. */
  readonly headers: ReadonlyMap<string, string>;
  /** The bcrypt hash of each user's password. Empty if everyone may read. */
  readonly users: ReadonlyMap<string, string>;
  /** `null` for no limit. */
  readonly rateLimit: RateLimit | null;
}

export interface TlsConfig {
  readonly context: SecureContextOptions;
  readonly clientAuth: ReturnType<typeof clientAuthOf>;
  /** The names of which a client certificate must have one; `null` for any. */
  readonly allowedSans: readonly string[] | null;
}

export interface RateLimit {
  /** The time in which one further request is allowed. */
  readonly intervalMs: number;
  /** How many requests are allowed at once. */
  readonly burst: number;
}
