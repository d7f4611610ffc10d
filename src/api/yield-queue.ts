/** Spreads work that becomes ready at the same time over several turns of the event loop. */

/** Gives each caller its own turn of the event loop, in the order of the calls. */
export class YieldQueue {
  readonly #waiting: (() => void)[] = [];

  /**
   * Resolves in the caller's own turn. If twenty requests were signed in one turn, or twenty answers were read
   * in one turn, a scrape would wait for all of them.
   */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#giveTurn);
    });
  }

  readonly #giveTurn = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#giveTurn);
  };
}
