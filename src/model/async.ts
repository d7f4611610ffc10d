/** Helpers for asynchronous work: yielding to the event loop, runs one after the other, and an end by a signal. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work may block the event loop for this long: clients do not notice it, and probes allow far more. */
const maxBlockMs = 5;

/** A function that a loop awaits after each short piece of work. `undefined`, which costs nothing: go on at once. */
export type Pace = () => Promise<void> | undefined;

/**
 * Creates a pace that yields to the event loop every 5 ms.
 *
 * @param turn resolves when the work may go on. Defaults to the next turn of the event loop
 */
export function createYielder(turn: () => Promise<void> = () => nextTurn()): Pace {
  let startMs = performance.now();
  return () => {
    if (performance.now() - startMs < maxBlockMs) return undefined;
    return turn().then(() => {
      startMs = performance.now();
    });
  };
}

/**
 * Creates a function for many callers that begin at once. Each awaits it before its work. It releases them in the order
 * of their calls, and yields to the event loop after 5 ms. It does not wait for what they do.
 */
export function createPacer(): () => Promise<void> {
  const yieldIfDue = createYielder();
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(yieldIfDue);
    return last;
  };
}

/**
 * Maps the items one by one, in their order. Rejects if `map` throws.
 *
 * @param pace defaults to one that yields to the event loop every 5 ms
 */
export async function mapWithYields<T, R>(
  items: readonly T[],
  map: (item: T) => R,
  pace: Pace = createYielder(),
): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) {
    results.push(map(item));
    await pace();
  }
  return results;
}

/**
 * Runs asynchronous work: calls with one key one after the other, in the order in which they were made, and calls with
 * different keys side by side. A call that fails does not stop those after it.
 */
export class KeyedQueue {
  /** By key: the last work, until it has ended. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Begins at once if no work of the key is under way. Resolves or rejects as `work` does. */
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

/**
 * Returns a function that runs `work`, one run at a time. Calls made during a run share one further run, which begins
 * when the run under way has ended. So the run of a call begins after that call, and sees what its caller did before.
 */
export function coalesce<T>(work: () => Promise<T>): () => Promise<T> {
  let lastRun: Promise<unknown> = Promise.resolve();
  /** The last run while it has not begun; `null` once it has, so that later calls need another one. */
  let waitingRun: Promise<T> | null = null;
  const begin = () => {
    waitingRun = null;
    return work();
  };
  return () => {
    waitingRun ??= lastRun.then(begin, begin);
    lastRun = waitingRun;
    return waitingRun;
  };
}

/**
 * Waits for work that cannot be aborted, such as reading standard input: resolves or rejects as `work` does, but no later
 * than the signal aborts. The work then goes on in the background, and its result is lost.
 *
 * @throws the reason of the signal; Error `aborted` if the reason is no error
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    void work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}
