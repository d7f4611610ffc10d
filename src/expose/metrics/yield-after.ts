import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Keeps long work from blocking the event loop. The caller calls the returned function with each amount of
 * finished work, and awaits the result. It is a turn of the event loop when more than `most` was done since the
 * last one, else `null`.
 */
export function yieldAfter(most: number): (amount: number) => Promise<void> | null {
  let done = 0;
  return (amount) => {
    done += amount;
    if (done <= most) return null;
    done = 0;
    return nextTurn();
  };
}
