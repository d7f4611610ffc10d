/** A store of records, in files or in Redis, could not do its work. The message says what failed, where, and what to do. */
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
