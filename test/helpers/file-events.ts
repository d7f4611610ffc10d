import { watch } from 'node:fs';

export interface FileEvent {
  /** `rename`: the name was created, removed, or given to another file. `change`: the content changed. */
  readonly type: 'rename' | 'change';
  readonly name: RegExp;
  /** The number of the event, from 1. Defaults to 1. */
  readonly count?: number;
  /** Ends the wait without an event. */
  readonly signal?: AbortSignal;
}

/** Resolves at an event in a directory after the call. */
export function fileEvent(
  directory: string,
  { type, name, count = 1, signal }: FileEvent,
): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const watcher = watch(directory, (event, file) => {
      if (event !== type || file === null || !name.test(file)) return;
      left -= 1;
      if (left === 0) end();
    });
    const end = () => {
      watcher.close();
      resolve();
    };
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
