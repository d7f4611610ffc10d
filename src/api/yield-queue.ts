/** Spreads work that becomes ready at the same time over several turns of the event loop. */

/** Gives each caller its own turn of the event loop, in the order of the calls. */
export class YieldQueue {
  readonly #waiting: (() => void)[] = [];
  /** Callers that wait until no other caller waits. */
  readonly #waitingForIdle: (() => void)[] = [];
  #isScheduled = false;

  /**
   * Resolves in the caller's own turn. If twenty requests were signed in one turn, or twenty answers were read
   * in one turn, a scrape would wait for all of them.
   */
  nextTurn(): Promise<void> {
    return this.#turnOf(this.#waiting);
  }

  /**
   * Resolves in the caller's own turn, after the turns of all other callers. Work that begins then ends
   * before more work begins, and its memory is free again.
   */
  idleTurn(): Promise<void> {
    return this.#turnOf(this.#waitingForIdle);
  }

  #turnOf(queue: (() => void)[]): Promise<void> {
    return new Promise((resolve) => {
      queue.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#giveTurn);
  }

  readonly #giveTurn = (): void => {
    this.#isScheduled = false;
    const resolve = this.#waiting.shift() ?? this.#waitingForIdle.shift();
    resolve?.();
    if (this.#waiting.length + this.#waitingForIdle.length > 0) this.#schedule();
  };
}
