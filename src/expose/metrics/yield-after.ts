import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Keeps long work from blocking the event loop: what it returns is awaited with each amount of work,
 * and gives the loop a turn whenever more than `most` was done since the last.
 */
export function yieldAfter(most: number): (amount: number) => Promise<void> {
  let done = 0;
  return async (amount) => {
    done += amount;
    if (done <= most) return;
    done = 0;
    await nextTurn();
  };
}
