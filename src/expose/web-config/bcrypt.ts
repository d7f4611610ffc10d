import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A message to the thread. The answer is whether they belong together. */
export interface Comparison {
  readonly password: string;
  readonly hash: string;
}

/**
 * Compares passwords with bcrypt hashes on a thread of its own, which begins with the first password. The threads of Node.js must stay free:
 * storage, host names and compression need them.
 */
export class Bcrypt {
  readonly #file: URL;
  #worker: Worker | null = null;

  /** @param file the built code of the thread */
  constructor(file = new URL('./bcrypt-worker.js', import.meta.url)) {
    this.#file = file;
  }

  /** Must not be called again before it has ended. Rejects if the thread fails; the next call begins a new one. */
  async compare(password: string, hash: string): Promise<boolean> {
    const worker = (this.#worker ??= this.#start());
    const comparison: Comparison = { password, hash };
    worker.postMessage(comparison);
    return (await once(worker, 'message')).at(0) === true;
  }

  /** Ends the thread. */
  close(): void {
    void this.#worker?.terminate();
    this.#worker = null;
  }

  #start(): Worker {
    const worker = new Worker(this.#file, {
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
    worker.unref();
    const forget = () => {
      if (this.#worker === worker) this.#worker = null;
    };
    return worker.on('error', forget).on('exit', forget);
  }
}
