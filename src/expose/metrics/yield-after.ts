import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Keeps long work from blocking the event loop. The caller awaits the returned function with each amount of
 * finished work. The function yields to the event loop when more than `most` was done since the last time.
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
