/** Spreads work that becomes possible all at once over the turns of the event loop. */
import { setImmediate } from 'node:timers/promises';

/** Gives each caller a turn of the event loop of its own, first come first served. */
export class YieldQueue {
  #last: Promise<void> = Promise.resolve();

  /**
   * Resolves in the caller's own turn. Twenty requests that are signed in one turn, or twenty answers
   * that are read in one, would keep a scrape waiting for all of them.
   */
  nextTurn(): Promise<void> {
    this.#last = this.#last.then(() => setImmediate());
    return this.#last;
  }
}
