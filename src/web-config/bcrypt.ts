import { Worker } from 'node:worker_threads';

/** A message to the thread. */
export interface Comparison {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}

/** A message from the thread. */
export interface Compared {
  readonly id: number;
  readonly isRight: boolean;
}

/** How long the thread lives without work. Until then it costs about 10 MB. */
const idleMs = 30_000;

/**
 * Compares passwords with bcrypt hashes on a thread of its own, one after the other. The threads of Node.js
 * must stay free: storage, host names and compression need them.
 */
export class Bcrypt {
  readonly #waiting = new Map<
    number,
    { readonly resolve: (isRight: boolean) => void; readonly reject: (error: Error) => void }
  >();
  readonly #file: URL;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  /** @param file the built code of the thread */
  constructor(file = new URL('./bcrypt-worker.js', import.meta.url)) {
    this.#file = file;
  }

  /** Rejects if the thread fails. The next call begins a new one. */
  compare(password: string, hash: string): Promise<boolean> {
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const comparison: Comparison = { id: (this.#lastId += 1), password, hash };
    this.#worker.postMessage(comparison);
    return new Promise((resolve, reject) => {
      this.#waiting.set(comparison.id, { resolve, reject });
    });
  }

  /** Ends the thread. */
  close(): void {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#file, {
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
    worker.unref();
    worker.on('message', ({ id, isRight }: Compared) => {
      this.#waiting.get(id)?.resolve(isRight);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) {
        this.#idle = setTimeout(() => {
          this.close();
        }, idleMs).unref();
      }
    });
    const end = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    worker.on('error', end);
    worker.on('exit', () => {
      end(new Error('the thread for bcrypt has ended'));
    });
    return worker;
  }
}
