import type { LockHolder } from './lock-holder.ts';
import { StoreError } from './store.ts';

/** Another process uses the directory. The message names it. */
export class StoreLockedError extends StoreError {
  /** `null` when the lock file does not say. */
  readonly holder: LockHolder | null;

  constructor(directory: string, holder: LockHolder | null) {
    const who =
      holder === null
        ? 'another process'
        : `process ${holder.pid} on host ${holder.host} since ${holder.startedAt}`;
    super(
      'locked',
      `the state directory ${directory} is in use by ${who}; stop that process, or use another directory`,
    );
    this.name = 'StoreLockedError';
    this.holder = holder;
  }
}
