import { setImmediate as nextTurn } from 'node:timers/promises';

/** Far less than what a client notices, and than what a probe allows. */
const maxWorkMs = 5;

/**
 * Keeps long work from blocking the event loop. The caller awaits the result after each short piece of work. It is
 * a turn of the event loop if the last one was more than some milliseconds ago, else `null`.
 */
export function pauses(): () => Promise<void> | null {
  let startMs = performance.now();
  return () => {
    if (performance.now() - startMs < maxWorkMs) return null;
    return nextTurn().then(() => {
      startMs = performance.now();
    });
  };
}

/** Lets callers go on one after another, in many turns of the event loop if their work takes long. */
export function inTurns(): () => Promise<void> {
  const pause = pauses();
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => pause() ?? undefined);
    return last;
  };
}

/** Calls `map` for each item, in many turns of the event loop if that takes long. */
export async function mapInTurns<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const pause = pauses();
  const results: R[] = [];
  for (const item of items) {
    results.push(map(item));
    await pause();
  }
  return results;
}
