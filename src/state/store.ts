/** Where records outlive the process: the interface of every store, and how a store fails. */
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';

/** A stored file that holds no record. Only its target starts over. */
export interface DamagedFile {
  readonly file: string;
  /** Where it was moved to for a person to look at; `null` when it had to stay where it is. */
  readonly movedTo: string | null;
  readonly reason: string;
}

/** A target of which it is not known whether a record is stored, and which. */
export interface UnreadTarget {
  readonly target: Target;
  readonly reason: string;
}

export interface LoadReport {
  /** In no particular order. */
  readonly records: readonly TargetRecord[];
  readonly damaged: readonly DamagedFile[];
  /** Nothing may be concluded about them; they can be loaded later. */
  readonly unread: readonly UnreadTarget[];
}

/** Keeps the newest record of every target. A record is replaced whole or not at all. */
export interface Store {
  /**
   * The stored records of these targets. A target that is not in the report has none. What holds no
   * record is reported and moved aside if possible; what cannot be read is reported and left alone.
   *
   * @throws StoreError only when the store is closed
   */
  load(targets: readonly Target[]): Promise<LoadReport>;
  /**
   * Replaces the record of a target; durable when it resolves. A target's next save may begin when
   * the one before has settled. After a rejection the record before still stands, or, where the store
   * hung, the new one may appear later; a later save may succeed.
   *
   * @throws StoreError
   * @throws FoundRecordError once, when a record stands there that was neither loaded nor saved here
   */
  save(record: TargetRecord): Promise<void>;
  /**
   * Removes what is stored of targets that have been gone for long.
   *
   * @returns the names of what was removed
   */
  removeGone(live: readonly Target[]): Promise<readonly string[]>;
  /** Waits for saves under way and gives the store up. Never rejects; a second call does nothing. */
  close(): Promise<void>;
}

export type StoreErrorCode = 'locked' | 'unwritable' | 'found' | 'closed';

/** A store that could not do what it was asked to. The message says what, where, and what to do. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

/**
 * The place of a record is taken by one that this process does not know, as when a volume is mounted
 * late. The next save replaces it.
 */
export class FoundRecordError extends StoreError {
  readonly found: TargetRecord;

  constructor(file: string, found: TargetRecord) {
    super('found', `${file} holds a record that was not known`);
    this.name = 'FoundRecordError';
    this.found = found;
  }
}

/** The error of a store that was given up. */
export function closedError(): StoreError {
  return new StoreError('closed', 'the store is closed; open it again');
}
