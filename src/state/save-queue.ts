import type { TargetRecord } from '../model/record.ts';

type Write = (file: string, record: TargetRecord) => Promise<void>;

interface Save {
  readonly record: TargetRecord;
  /** Everyone who asked since the last write of the file began. */
  readonly askers: readonly { resolve: () => void; reject: (reason: unknown) => void }[];
}

/**
 * How many files are written at once. Below the four threads of Node's pool, so that the lookup of a
 * host name, which needs one too, does not wait behind a slow disk.
 */
const maxConcurrentWrites = 3;

/**
 * Writes records: those of one file one after the other, and of several that wait for the same file
 * only the newest, which answers for all of them.
 */
export class SaveQueue {
  readonly #write: Write;
  readonly #waiting = new Map<string, Save>();
  readonly #writing = new Set<string>();
  #idleListeners: (() => void)[] = [];

  constructor(write: Write) {
    this.#write = write;
  }

  /** Settles as the first write does that begins after the call. */
  push(file: string, record: TargetRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      const askers = this.#waiting.get(file)?.askers ?? [];
      this.#waiting.set(file, { record, askers: [...askers, { resolve, reject }] });
      this.#writeNext();
    });
  }

  /** Resolves when nothing is waiting or being written. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleListeners.push(resolve);
      this.#tellIfIdle();
    });
  }

  #writeNext(): void {
    for (const [file, save] of this.#waiting) {
      if (this.#writing.size >= maxConcurrentWrites) return;
      if (this.#writing.has(file)) continue;
      this.#waiting.delete(file);
      this.#writing.add(file);
      void this.#run(file, save);
    }
  }

  async #run(file: string, { record, askers }: Save): Promise<void> {
    try {
      await this.#write(file, record);
      for (const { resolve } of askers) resolve();
    } catch (error) {
      for (const { reject } of askers) reject(error);
    } finally {
      this.#writing.delete(file);
      this.#writeNext();
      this.#tellIfIdle();
    }
  }

  #tellIfIdle(): void {
    if (this.#waiting.size > 0 || this.#writing.size > 0) return;
    for (const listener of this.#idleListeners) listener();
    this.#idleListeners = [];
  }
}

/**
 * Makes `work` shareable: a call joins the next run, which begins when the run under way has ended,
 * and so after everything that its caller did before.
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
