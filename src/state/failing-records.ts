import { messageOf } from '../model/errors.ts';
import type { Logger } from '../log.ts';

/**
 * The records whose last write failed, by the key of their target. Logs when the writing begins to fail,
 * and when all records are stored again.
 */
export class FailingRecords {
  readonly #keys = new Set<string>();
  readonly #logger: Logger;
  #problem: string | null = null;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** Why the last of them was not written; `null` while there are none. */
  get problem(): string | null {
    return this.#problem;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** The one that failed first is the first. */
  all(): readonly string[] {
    return [...this.#keys];
  }

  failed(key: string, error: unknown): void {
    const reason = messageOf(error);
    if (this.#problem === null) {
      this.#logger.error('records cannot be stored; polling goes on', { reason });
    }
    this.#keys.delete(key);
    this.#keys.add(key);
    this.#problem = reason;
  }

  stored(key: string): void {
    this.#keys.delete(key);
    if (this.#problem === null || this.#keys.size > 0) return;
    this.#logger.info('records are stored again', {});
    this.#problem = null;
  }
}
