/** Asynchronous work: in the order of a key, in turns of the event loop, and until a signal aborts. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs the pieces of work of one key one after the other, and those of several keys side by side. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = this.#last.get(key)?.then(work, work) ?? work();
    const forget = () => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    };
    this.#last.set(key, done);
    done.then(forget, forget);
    return done;
  }

  /** Resolves when the work that was given until now has ended. Never rejects. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}

/** Far less than what a client notices, and than what a probe allows. */
const maxWorkMs = 5;

/**
 * Keeps long work from blocking the event loop. The caller awaits the result after each short piece of work. It is
 * a turn of the event loop if the last one was more than some milliseconds ago, else `undefined`.
 */
export function createYielder(): () => Promise<void> | undefined {
  let startMs = performance.now();
  return () => {
    if (performance.now() - startMs < maxWorkMs) return undefined;
    return nextTurn().then(() => {
      startMs = performance.now();
    });
  };
}

/** Lets callers go on one after another, in many turns of the event loop if their work takes long. */
export function createPacer(): () => Promise<void> {
  const pause = createYielder();
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(pause);
    return last;
  };
}

/** Calls `map` for each item, in many turns of the event loop if that takes long. */
export async function mapWithYields<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const pause = createYielder();
  const results: R[] = [];
  for (const item of items) {
    results.push(map(item));
    await pause();
  }
  return results;
}

/**
 * Waits for work that does not know the signal. Rejects with the reason of the signal as soon as it aborts, or
 * with the error `aborted` if the reason is no error. The work may then go on in the background.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    const ended = () => {
      signal.removeEventListener('abort', abort);
      resolve(work);
    };
    void work.then(ended, ended);
  });
}
