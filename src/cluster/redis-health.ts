/** Whether Redis can be used. A full Redis, or a replica, answers what it is asked, and refuses what is written. */
import type { Logger } from '../log.ts';

/** What can fail while the others work. */
export type RedisUse = 'reading' | 'writing' | 'adding cycles';

export class RedisHealth {
  readonly #address: string;
  readonly #problemOf: (error: unknown) => string;
  readonly #logger: Logger;
  readonly #problems = new Map<RedisUse, string>();
  #wasAsked = false;
  #isStopped = false;

  /**
   * @param address host and port, for people
   * @param problemOf why a command failed
   */
  constructor(address: string, problemOf: (error: unknown) => string, logger: Logger) {
    this.#address = address;
    this.#problemOf = problemOf;
    this.#logger = logger;
  }

  /** Why the cycles of this daemon end; `null` while Redis can be used. */
  get problem(): string | null {
    const [problem = this.#wasAsked ? null : 'Redis was not asked yet'] = this.#problems.values();
    return problem;
  }

  failed(use: RedisUse, error: unknown): void {
    if (this.#isStopped) return;
    const reason = `Redis at ${this.#address} cannot be used for ${use}: ${this.#problemOf(error)}`;
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
}
