import type { Logger } from '../logging/logger.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { UnreadTarget } from './store.ts';

/**
 * The targets whose stored record could not be read yet. Their records are provisional. Logs when the
 * reading begins to fail, and when all records were read.
 */
export class UnreadTargets {
  readonly #targets = new Map<string, Target>();
  readonly #published: PublishedRecords;
  readonly #logger: Logger;
  #reason: string | null = null;

  constructor(published: PublishedRecords, logger: Logger) {
    this.#published = published;
    this.#logger = logger;
  }

  get size(): number {
    return this.#targets.size;
  }

  /** The number of unreadable records, and the reason. `null` when there are none. */
  get problem(): string | null {
    if (this.#reason === null) return null;
    return `${this.#targets.size} stored records cannot be read: ${this.#reason}`;
  }

  all(): readonly Target[] {
    return [...this.#targets.values()];
  }

  add({ target, reason }: UnreadTarget): void {
    if (this.#reason === null) {
      const message = 'stored records cannot be read; their counters are not shown until they are';
      this.#logger.error(message, { reason });
    }
    this.#reason = reason;
    this.#targets.set(targetKey(target), target);
    this.#published.setProvisional(targetKey(target), true);
  }

  /** Forgets the targets that a reload removed. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#targets.keys()) if (!keys.has(key)) this.#targets.delete(key);
    if (this.#targets.size === 0) this.#reason = null;
  }

  /**
   * Removes the targets that were read. Their records stay provisional until they are caught up.
   *
   * @param asked those that were to be read; a reload may have added and removed others meanwhile
   * @param stillUnread those of them that could not be read
   * @returns the targets that were read
   */
  removeRead(asked: readonly Target[], stillUnread: readonly UnreadTarget[]): readonly Target[] {
    const keys = new Set(asked.map(targetKey));
    for (const { target } of stillUnread) keys.delete(targetKey(target));
    const read = [...this.#targets].filter(([key]) => keys.has(key));
    for (const [key] of read) this.#targets.delete(key);
    if (this.#targets.size > 0) {
      this.#reason = stillUnread[0]?.reason ?? this.#reason;
    } else if (this.#reason !== null) {
      this.#reason = null;
      this.#logger.info('stored records were read', {});
    }
    return read.map(([, target]) => target);
  }
}
