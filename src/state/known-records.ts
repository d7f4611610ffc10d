/** What a store knows about its files. */
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import type { DirectoryLock } from './directory-lock.ts';

/** The last content of each file, and whether it was seen since the lock was last taken. */
export class KnownRecords {
  readonly #lock: DirectoryLock;
  readonly #records = new Map<string, TargetRecord>();
  /** The term of the lock in which each file was last seen. */
  readonly #terms = new Map<string, number>();

  constructor(lock: DirectoryLock) {
    this.#lock = lock;
  }

  /** What was last read from a file or written to it. */
  get(file: string): TargetRecord | undefined {
    return this.#records.get(file);
  }

  wasSeenIn(term: number, file: string): boolean {
    return this.#terms.get(file) === term;
  }

  /**
   * @param record what the file holds now; `null` without a record
   * @param term of the lock, from before the file was seen
   */
  note(file: string, record: TargetRecord | null, term: number): void {
    if (record === null) this.#records.delete(file);
    else this.#records.set(file, record);
    if (this.#lock.isHeld && this.#lock.term === term) this.#terms.set(file, term);
  }

  keepOnly(isLive: (target: Target) => boolean): void {
    for (const [file, { target }] of this.#records) if (!isLive(target)) this.#records.delete(file);
    for (const file of this.#terms.keys()) {
      if (!this.#records.has(file)) this.#terms.delete(file);
    }
  }
}
