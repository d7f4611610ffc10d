import type { Logger } from '../log.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { DamagedFiles } from './damaged-files.ts';
import type { Store, UnreadTarget } from './store.ts';

export interface UnreadOptions {
  readonly store: Store;
  readonly published: PublishedRecords;
  readonly logger: Logger;
  /** Counts the damaged files that are found. */
  readonly damaged: DamagedFiles;
}

/** A target whose storage could be read at last. */
export interface LateRead {
  readonly target: Target;
  /** `undefined` when the storage holds no record of the target. */
  readonly stored: TargetRecord | undefined;
}

/**
 * The targets whose stored record could not be read yet. It can be read late. Their records are provisional.
 * Logs when the reading begins to fail, and when all records were read.
 */
export class UnreadTargets {
  readonly #options: UnreadOptions;
  readonly #targets = new Map<string, Target>();
  #reason: string | null = null;

  constructor(options: UnreadOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#targets.size;
  }

  /** The number of unreadable records, and the reason. `null` when there are none. */
  get problem(): string | null {
    if (this.#reason === null) return null;
    return `${this.#targets.size} stored records cannot be read: ${this.#reason}`;
  }

  add({ target, reason }: UnreadTarget): void {
    if (this.#reason === null) {
      const message = 'stored records cannot be read; their counters are not shown until they are';
      this.#options.logger.error(message, { reason });
    }
    this.#reason = reason;
    this.#targets.set(targetKey(target), target);
    this.#options.published.setProvisional(targetKey(target), true);
  }

  /** Forgets the targets that a reload removed. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#targets.keys()) if (!keys.has(key)) this.#targets.delete(key);
    if (this.#targets.size === 0) this.#reason = null;
  }

  /**
   * Reads the stored records, and removes the targets that were read. Their records stay provisional until they
   * are caught up. Never rejects.
   */
  async read(): Promise<readonly LateRead[]> {
    if (this.#targets.size === 0) return [];
    const { damaged, store } = this.#options;
    const asked = [...this.#targets.values()];
    const report = await store.load(asked).catch(() => null);
    if (report === null) return [];
    for (const each of report.damaged) damaged.found(each);
    const stored = new Map(report.records.map((each) => [targetKey(each.target), each]));
    const read = this.#removeRead(asked, report.unread);
    return read.map(([key, target]) => ({ target, stored: stored.get(key) }));
  }

  /** @param asked those that were to be read; a reload may have added and removed others meanwhile */
  #removeRead(asked: readonly Target[], stillUnread: readonly UnreadTarget[]) {
    const keys = new Set(asked.map(targetKey));
    for (const { target } of stillUnread) keys.delete(targetKey(target));
    const read = [...this.#targets].filter(([key]) => keys.has(key));
    for (const [key] of read) this.#targets.delete(key);
    if (this.#targets.size > 0) {
      this.#reason = stillUnread[0]?.reason ?? this.#reason;
    } else if (this.#reason !== null) {
      this.#reason = null;
      this.#options.logger.info('stored records were read', {});
    }
    return read;
  }
}
