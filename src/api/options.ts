import type { Clock } from '../model/clock.ts';
import type { LargeAnswers } from './answer-body.ts';
import type { ConnectionPools } from './connections.ts';
import type { CredentialsProvider } from './credentials/credentials.ts';
import type { ApiObserver } from './observer.ts';
import type { RateLimits } from './rate-limits.ts';
import type { Routes } from './routes.ts';
import type { SignatureMethod } from './signature-methods.ts';
import type { YieldQueue } from './yield-queue.ts';

/** The options of the client of one account. */
export interface ClientOptions {
  /** The configured name of the account. */
  readonly account: string;
  /** An origin such as `https://cvm.tencentcloudapi.com`. `{region}` is replaced. */
  readonly endpoint: string;
  readonly signature: SignatureMethod;
  /** While they are `null`, requests are not signed. */
  readonly credentials: CredentialsProvider;
  /** Maximum number of requests in any sliding second, for each operation separately. */
  readonly requestsPerSecond: number;
  /** Maximum duration of one attempt, from its connection to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Maximum number of attempts of one request, with the first one. Throttled attempts do not count. */
  readonly maxAttempts: number;
  readonly clock: Clock;
  /** A number from 0 (inclusive) to 1 (exclusive), as `Math.random`. */
  readonly random: () => number;
  readonly observer: ApiObserver;
  readonly connections: ConnectionPools;
  /** One for the process, because an authority costs memory and time. */
  readonly routes: Routes;
  /** One for the process, because all clients share its memory. */
  readonly largeAnswers: LargeAnswers;
  /** One for the process, because all clients share its event loop. */
  readonly yieldQueue: YieldQueue;
  readonly rateLimits: RateLimits;
  /** Names the program and its version to the service, such as `cvm-quota-monitor/1.2.3`. */
  readonly userAgent: string;
}
