/** Whether Redis can be used. A full Redis, or a replica, answers what it is asked, and refuses what is written. */
import type { Redis } from 'ioredis';
import type { Logger } from '../log.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import { commandTimeoutMs } from './connection.ts';

/** What can fail while the other one works. */
export type RedisUse = 'reading' | 'writing';

/** What the client says of a command that it did not send. */
const unconnected = /enableOfflineQueue|Connection is closed|max retries per request/;

export class RedisHealth {
  readonly #address: string;
  readonly #logger: Logger;
  readonly #problems = new Map<RedisUse, string>();
  #connectionProblem = 'no connection';
  #wasAsked = false;
  #isStopped = false;

  constructor(redis: Redis, logger: Logger) {
    const { host = '', port = '' } = redis.options;
    this.#address = `${host}:${port}`;
    this.#logger = logger;
    redis.on('error', (error) => {
      if (unconnected.test(messageOf(error))) return;
      this.#connectionProblem = `no connection: ${messageOf(error) || codeOf(error)}`;
    });
    redis.on('ready', () => {
      this.#connectionProblem = 'no connection';
    });
  }

  /** Why the cycles of this daemon end; `null` while Redis can be used. */
  get problem(): string | null {
    const [problem = this.#wasAsked ? null : 'Redis was not asked yet'] = this.#problems.values();
    return problem;
  }

  failed(use: RedisUse, error: unknown): void {
    if (this.#isStopped) return;
    const reason = `Redis at ${this.#address} cannot be used for ${use}: ${this.#reasonOf(error)}`;
    this.#wasAsked = true;
    if (this.#problems.size === 0) this.#logger.error('the cycles of this daemon end', { reason });
    this.#problems.set(use, reason);
  }

  /** What fails from now on fails because this daemon stops. */
  stop(): void {
    this.#isStopped = true;
  }

  worked(use: RedisUse): void {
    const isFirst = !this.#wasAsked;
    this.#wasAsked = true;
    if ((this.#problems.delete(use) || isFirst) && this.#problems.size === 0) {
      this.#logger.info('Redis can be used');
    }
  }

  /** Why a command failed, in words that do not name the inside of the client. */
  #reasonOf(error: unknown): string {
    const message = messageOf(error);
    if (message.includes('timed out')) return `no answer within ${commandTimeoutMs / 1_000} s`;
    return unconnected.test(message) ? this.#connectionProblem : message;
  }
}
