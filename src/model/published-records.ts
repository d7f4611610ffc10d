import type { Change } from './change.ts';
import { targetKey } from './target.ts';
import type { TargetRecord } from './record.ts';

/** How many changes the feed keeps. */
export const maxChanges = 1_000;

type Listener = (key: string, record: TargetRecord | null) => void;

/**
 * The present record of every target and the feed of changes: all that metrics, pages and tables
 * read. Holds no rule of its own; records come from the poller and, at a start, from the store.
 */
export class PublishedRecords {
  readonly #records = new Map<string, TargetRecord>();
  readonly #listeners: Listener[] = [];
  #changes: readonly Change[] = [];

  /** Replaces the record of a target. */
  publish(record: TargetRecord, changes: readonly Change[] = []): void {
    const key = targetKey(record.target);
    this.#records.set(key, record);
    if (changes.length > 0) this.#changes = [...this.#changes, ...changes].slice(-maxChanges);
    this.#notify(key, record);
  }

  /**
   * Starts over with the records of a start or a reload, in their order. The feed keeps what it has
   * and takes in the changes that the records remember.
   */
  replaceAll(records: readonly TargetRecord[]): void {
    const gone = new Set(this.#records.keys());
    const isNew = this.#changes.length === 0;
    this.#records.clear();
    for (const record of records) {
      const key = targetKey(record.target);
      gone.delete(key);
      this.#records.set(key, record);
      this.#notify(key, record);
    }
    for (const key of gone) this.#notify(key, null);
    if (isNew) {
      const remembered = records.flatMap((record) => record.recentChanges);
      this.#changes = remembered.toSorted((a, b) => a.atMs - b.atMs).slice(-maxChanges);
    }
  }

  get(key: string): TargetRecord | undefined {
    return this.#records.get(key);
  }

  /** Every record, in the order of the configuration. */
  all(): readonly TargetRecord[] {
    return [...this.#records.values()];
  }

  /** At most the last {@link maxChanges} changes, oldest first. */
  changes(): readonly Change[] {
    return this.#changes;
  }

  /** Calls `listener` for every record that is replaced, and with `null` for one that is removed. */
  onPublish(listener: Listener): void {
    this.#listeners.push(listener);
  }

  #notify(key: string, record: TargetRecord | null): void {
    for (const listener of this.#listeners) listener(key, record);
  }
}
