/** Where records outlive the process: the interface of every store, and how a store fails. */
import type { TargetRecord } from '../model/record.ts';

/** A stored file that could not be used. Only its target starts anew. */
export interface DamagedFile {
  /** Its name; the path of the directory when that cannot be read, and every target starts anew. */
  readonly file: string;
  /** Where it was moved to for a person to look at; `null` when it had to stay where it is. */
  readonly movedTo: string | null;
  readonly reason: string;
}

export interface LoadReport {
  /** One per target, in no particular order. */
  readonly records: readonly TargetRecord[];
  readonly damaged: readonly DamagedFile[];
}

/** Keeps the newest record of every target. A record is replaced whole or not at all. */
export interface Store {
  /**
   * Every stored record. What cannot be read is reported, moved aside if possible, and keeps no
   * other record from loading.
   *
   * @throws StoreError only when the store is closed
   */
  load(): Promise<LoadReport>;
  /**
   * Replaces the record of a target; durable when it resolves. Of several saves of one target the
   * last one stands. After a rejection the record before still stands, and a later save may succeed.
   *
   * @throws StoreError
   */
  save(record: TargetRecord): Promise<void>;
  /** Waits for saves under way and gives the store up. Never rejects; a second call does nothing. */
  close(): Promise<void>;
}

export type StoreErrorCode = 'locked' | 'unwritable' | 'closed';

/** A store that could not do what it was asked to. The message says what, where, and what to do. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** The error of a store that was given up. */
export function closedError(): StoreError {
  return new StoreError('closed', 'the store is closed; open it again');
}
