/** Spreads work that becomes ready at the same time over several turns of the event loop. */
import { setImmediate } from 'node:timers/promises';

/** Gives each caller its own turn of the event loop, in the order of the calls. */
export class YieldQueue {
  #last: Promise<void> = Promise.resolve();

  /**
   * Resolves in the caller's own turn. If twenty requests were signed in one turn, or twenty answers were read
   * in one turn, a scrape would wait for all of them.
   */
  nextTurn(): Promise<void> {
    this.#last = this.#last.then(() => setImmediate());
    return this.#last;
  }
}
