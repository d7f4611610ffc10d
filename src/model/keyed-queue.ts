/** Runs the pieces of work of one key one after the other, and those of several keys side by side. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

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
