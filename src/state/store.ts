/** Stores keep records when the process ends: the interface of every store, and how a store fails. */
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';

/** A stored file that holds no record. Only its target starts over. */
export interface DamagedFile {
  readonly file: string;
  /** Where it was moved to, for a person to look at; `null` when it could not be moved. */
  readonly movedTo: string | null;
  readonly reason: string;
}

/** A target whose file could not be read: it may have a stored record. */
export interface UnreadTarget {
  readonly target: Target;
  readonly reason: string;
}

export interface LoadReport {
  /** In no particular order. */
  readonly records: readonly TargetRecord[];
  readonly damaged: readonly DamagedFile[];
  /** Nothing is known about their records. They can be loaded later. */
  readonly unread: readonly UnreadTarget[];
}

/** How long the record of a target that is gone is kept. */
export const goneAfterMs = 30 * 24 * 60 * 60 * 1_000;

/** Keeps the newest record of every target. A record is replaced whole or not at all. */
export interface Store {
  /** Rises when the storage may be another one, such as a volume that was mounted late. Nothing is known of it. */
  readonly generation: number;
  /**
   * The stored records of these targets. A target that is not in the report has none. A file that holds
   * no record is reported, and moved aside if possible. A file that cannot be read is reported, and
   * stays.
   *
   * @throws StoreError only when the store is closed
   */
  load(targets: readonly Target[]): Promise<LoadReport>;
  /**
   * Replaces the record of a target. The record is durable when the promise resolves. A target's next
   * save may begin when the last one has settled. After a rejection the old record is still stored. Where
   * the store hung, the new one may still replace it later. A later save may succeed.
   *
   * @throws StoreError
   * @throws FoundRecordError once, when the stored record was neither loaded nor saved by this store
   * @throws FoundDamageError once, when it was neither, and its file holds no record
   */
  save(record: TargetRecord): Promise<void>;
  /**
   * Removes the records of targets that are not live, and were last written {@link goneAfterMs} ago.
   *
   * @param isLive asked right before each removal, because a reload may add a target meanwhile
   * @returns the names of what was removed
   */
  removeGone(isLive: (target: Target) => boolean): Promise<readonly string[]>;
  /** Forgets what it knows of targets that are not live. Their stored records stay, and can be loaded. */
  keepOnly(isLive: (target: Target) => boolean): void;
  /** Waits for saves and removals under way and closes the store. Never rejects; a second call does nothing. */
  close(): Promise<void>;
}

/** `fenced`: another daemon writes the records of the account. */
export type StoreErrorCode = 'locked' | 'unwritable' | 'found' | 'fenced' | 'closed';

/** A store could not do its work. The message says what failed, where, and what to do. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

/**
 * The file of a record holds another one that this process does not know, for example because a volume
 * was mounted late. The next save replaces it.
 */
export class FoundRecordError extends StoreError {
  readonly found: TargetRecord;

  constructor(file: string, found: TargetRecord) {
    super('found', `${file} holds a record that was not known`);
    this.name = 'FoundRecordError';
    this.found = found;
  }
}

/**
 * The file of a record is damaged, which this process did not know. It was moved aside if possible. The
 * next save replaces it.
 */
export class FoundDamageError extends StoreError {
  readonly found: DamagedFile;

  constructor(found: DamagedFile) {
    super('found', `${found.file} is damaged: ${found.reason}`);
    this.name = 'FoundDamageError';
    this.found = found;
  }
}

/** The error of a store that is closed. */
export function closedError(): StoreError {
  return new StoreError('closed', 'the store is closed; open it again');
}
