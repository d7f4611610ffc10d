/** Limits how many pieces of work run side by side. The others wait; the first to ask is the first to run. */
export class ConcurrencyLimit {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

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
}

/**
 * Makes `work` shareable. A call joins the next run, which begins when the run under way has ended. So
 * the run sees everything that its caller did before the call.
 */
export function shareRuns(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let isWaiting = false;
  const begin = () => {
    isWaiting = false;
    return work();
  };
  return () => {
    if (!isWaiting) {
      isWaiting = true;
      last = last.then(begin, begin);
    }
    return last;
  };
}
