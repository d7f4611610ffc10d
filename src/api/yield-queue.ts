/** Spreads work that becomes possible all at once over the turns of the event loop. */
import { setImmediate } from 'node:timers/promises';

/** The event loop is one for the process, and so is the queue. */
let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop of its own, first come first served. Twenty requests of a cycle
 * that are signed, or twenty answers that are read, in one turn would keep a scrape waiting for all of
 * them.
 */
export function ownTurn(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}
