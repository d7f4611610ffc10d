/**
 * Runs asynchronous work: calls with one key one after the other, in the order in which they were made, and calls with
 * different keys side by side. A call that fails does not stop those after it.
 */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Begins at once if no work of the key is under way. Resolves or rejects as `work` does. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = this.#last.get(key)?.then(work, work) ?? work();
    const forget = () => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    };
    this.#last.set(key, done);
    done.then(forget, forget);
    return done;
  }

  /** Resolves when the work that was given until now has ended. Never rejects. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}
