/**
 * The store of records: what a daemon that keeps its records in files writes them through. `LocalRecords` decides what is
 * stored when.
 */
import type { TargetRecord } from '../model/record.ts';

/** The newest record of every target, in a place that outlives the process. A record is replaced whole or not at all. */
export interface Store {
  /**
   * Everything that is stored, in no particular order. A text that holds no record is moved aside, and logged.
   *
   * @returns also how many stored texts held no record: only their targets start again
   * @throws StoreError `unreadable` when something cannot be read, so that nothing is known about it; `newer-form` when
   *   a newer version wrote a record. Nothing is moved or removed then
   */
  load(): Promise<{ readonly records: readonly TargetRecord[]; readonly damaged: number }>;
  /**
   * Replaces the record of a target. It is durable when the promise resolves. The next save of a target begins when
   * the last one has settled. After a rejection the old record is stored; where the storage hung, the new one may
   * still replace it.
   *
   * @throws StoreError
   */
  save(record: TargetRecord): Promise<void>;
  /** Removes the record of a target. A record that is not there is no failure. */
  remove(record: TargetRecord): Promise<void>;
  /** Waits for saves under way, and closes the store. Never rejects; a second call does nothing. */
  close(): Promise<void>;
}

/** A store could not do its work. The message says what failed, where, and what to do. */
export class StoreError extends Error {
  /**
   * `locked`: another daemon has the storage. `unreadable`: a start cannot read it. `newer-form`: only a newer version of
   * the program can read a record. `unwritable`: a save failed. `closed`: a save came after the close.
   */
  readonly code: 'locked' | 'unreadable' | 'newer-form' | 'unwritable' | 'closed';

  constructor(code: StoreError['code'], message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}
