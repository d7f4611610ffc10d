import type { Change } from './change.ts';
import { targetKey } from './target.ts';
import type { TargetRecord } from './record.ts';

/** How many changes the feed keeps. */
export const maxChanges = 1_000;

/**
 * The present record of every target and the feed of changes: all that metrics, pages and tables
 * read. Holds no rule of its own; records come from the poller and, at a start, from the store.
 */
export class PublishedRecords {
  readonly #records = new Map<string, TargetRecord>();
  #changes: readonly Change[] = [];
  #revision = 0;

  /** Replaces the record of a target. */
  publish(record: TargetRecord, changes: readonly Change[] = []): void {
    this.#records.set(targetKey(record.target), record);
    if (changes.length > 0) this.#changes = [...this.#changes, ...changes].slice(-maxChanges);
    this.#revision += 1;
  }

  /**
   * Starts over with the records of a start or a reload, in their order. A feed that is empty is
   * filled with the changes that the records remember.
   */
  replaceAll(records: readonly TargetRecord[]): void {
    this.#records.clear();
    for (const record of records) this.#records.set(targetKey(record.target), record);
    this.#revision += 1;
    if (this.#changes.length === 0) {
      const remembered = records.flatMap((record) => record.recentChanges);
      this.#changes = remembered.toSorted((a, b) => a.atMs - b.atMs).slice(-maxChanges);
    }
  }

  /** A number that grows with every record that is replaced. */
  get revision(): number {
    return this.#revision;
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
}
