import type { Logger } from '../log.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey } from '../model/target.ts';
import type { DamagedFiles } from './damaged-files.ts';
import { FailingRecords } from './failing-records.ts';
import { FoundDamageError, FoundRecordError, StoreError, type Store } from './store.ts';
import { StoredParts } from './stored-parts.ts';

export interface WriterOptions {
  readonly store: Store;
  readonly logger: Logger;
  /** Counts the damaged files that a write finds. */
  readonly damaged: DamagedFiles;
  /** Called when a write failed. The record stays unsaved until a later write of its target succeeds. */
  readonly onFailure: () => void;
}

/** How many targets a log line names. */
const maxNamed = 10;

/**
 * Writes records to the store, and knows which of them it holds. A failure is logged once and counted. Owns
 * every record whose write failed or has not ended.
 */
export class RecordWriter {
  readonly #options: WriterOptions;
  /** The newest record of each target whose write failed or has not ended. */
  readonly #unsaved = new Map<string, TargetRecord>();
  /** The targets whose last write failed. */
  readonly #failing: FailingRecords;
  #stored = new StoredParts();
  /** Of the storage that holds what is noted as stored. */
  #generation: number;
  #failures = 0;
  #isLockedOut = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#failing = new FailingRecords(options.logger);
    this.#generation = options.store.generation;
  }

  /** The number of failed writes. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether a write found that another process has the storage. This process then never writes again. */
  get isLockedOut(): boolean {
    return this.#isLockedOut;
  }

  /** Why the last failed write failed; `null` while no target has an unsaved record because of a failure. */
  get problem(): string | null {
    return this.#failing.problem;
  }

  /** The targets whose last write failed. The one that failed first is the first. */
  get failing(): readonly string[] {
    return this.#failing.all();
  }

  isFailing(key: string): boolean {
    return this.#failing.has(key);
  }

  /** The targets with an unsaved record. */
  get unsaved(): readonly string[] {
    return [...this.#unsaved.keys()];
  }

  unsavedOf(key: string): TargetRecord | undefined {
    return this.#unsaved.get(key);
  }

  /** Counts a record that was not written because the stored one is not known. */
  refuse(): void {
    this.#failures += 1;
  }

  /** The storage holds these records. */
  noteLoaded(records: readonly TargetRecord[]): void {
    for (const record of records) this.#parts().note(record);
  }

  /** Forgets what the storage holds of other targets. Their unsaved records stay. */
  keepOnly(keys: ReadonlySet<string>): void {
    this.#parts().keepOnly(keys);
  }

  /** Whether the storage holds this record. */
  holds(record: TargetRecord): boolean {
    return this.#parts().holds(record);
  }

  /** Whether the storage lacks nothing of a record but gauges and freshness. */
  holdsCounted(record: TargetRecord): boolean {
    return !this.#unsaved.has(targetKey(record.target)) && this.#parts().holdsCounted(record);
  }

  /**
   * Writes a record. Never rejects.
   *
   * @returns another record that was found in its file, which is then not replaced yet
   */
  async write(record: TargetRecord): Promise<TargetRecord | null> {
    const { damaged, onFailure, store } = this.#options;
    const key = targetKey(record.target);
    this.#unsaved.set(key, record);
    try {
      await store.save(record);
    } catch (error) {
      if (error instanceof FoundRecordError) return error.found;
      if (error instanceof FoundDamageError) {
        damaged.found(error.found);
        return this.write(record);
      }
      this.#failures += 1;
      this.#isLockedOut ||= error instanceof StoreError && error.code === 'locked';
      this.#failing.failed(key, error);
      onFailure();
      return null;
    }
    this.#unsaved.delete(key);
    this.#parts().note(record);
    this.#failing.stored(key);
    return null;
  }

  /**
   * Logs what is not known to be stored when the daemon ends.
   *
   * @param outdated the number of targets with a record that the storage does not hold
   * @returns the records with something that counts
   */
  reportLost(outdated: number): readonly TargetRecord[] {
    const { logger } = this.#options;
    const reason = this.problem ?? 'the storage is too slow';
    const lost = [...this.#unsaved.values()].filter((each) => !this.#parts().holdsCounted(each));
    if (lost.length > 0) {
      logger.error('records were not stored before the end', {
        records: lost.length,
        targets: lost.slice(0, maxNamed).map(({ target }) => targetKey(target)),
        reason,
      });
    }
    if (outdated > lost.length) {
      const records = outdated - lost.length;
      logger.warn('the last gauges were not stored before the end', { records, reason });
    }
    return lost;
  }

  /** What the present storage is known to hold. */
  #parts(): StoredParts {
    const { generation } = this.#options.store;
    if (generation !== this.#generation) this.#stored = new StoredParts();
    this.#generation = generation;
    return this.#stored;
  }
}
