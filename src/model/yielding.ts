/** Long work in short pieces, between which the event loop serves others, such as a scrape or a probe. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work may block the event loop for this long: clients do not notice it, and probes allow far more. */
const maxBlockMs = 5;

/**
 * Creates a function to await after each short piece of work. If 5 ms have passed since the last yield, it returns a
 * promise that resolves in the next turn of the event loop, and else `undefined`, which costs nothing.
 */
export function createYielder(): () => Promise<void> | undefined {
  let startMs = performance.now();
  return () => {
    if (performance.now() - startMs < maxBlockMs) return undefined;
    return nextTurn().then(() => {
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

/** Maps the items one by one, and yields to the event loop every 5 ms. */
export async function mapWithYields<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const yieldIfDue = createYielder();
  const results: R[] = [];
  for (const item of items) {
    results.push(map(item));
    await yieldIfDue();
  }
  return results;
}
