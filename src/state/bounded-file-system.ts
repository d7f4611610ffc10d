/** A file system that answers every call in a bounded time, also if the disk hangs. */
import type { FileSystem } from './file-system.ts';

/** A call did not end in time. It may still end, and take effect, at any later moment. */
export class HungCallError extends Error {
  readonly code = 'ETIMEDOUT';
  /** Resolves when the call has ended after all: whether it succeeded. Never rejects. */
  readonly settled: Promise<boolean>;

  constructor(message: string, settled: Promise<boolean>) {
    super(message);
    this.name = 'HungCallError';
    this.settled = settled;
  }
}

export interface FileSystemBounds {
  /** How long a call may take before it counts as failed. */
  readonly timeoutMs: number;
  /** How many calls may be under way, those that hang included. */
  readonly maxCalls: number;
}

/**
 * A call that hangs keeps its thread. Node has four: one stays free for what else needs one, such as
 * the lookup of a host name.
 */
const defaultBounds: FileSystemBounds = { timeoutMs: 2_000, maxCalls: 3 };

/**
 * The same file system. Every call ends in time.
 *
 * @throws HungCallError from a call that takes longer, and at once from every call while the number of
 *   calls that hang has reached the maximum
 */
export function boundFileSystem(
  fileSystem: FileSystem,
  bounds: FileSystemBounds = defaultBounds,
): FileSystem {
  const calls = new Calls(bounds);
  return {
    makeDirectory: (path) => calls.run(path, () => fileSystem.makeDirectory(path)),
    list: (path) => calls.run(path, () => fileSystem.list(path)),
    read: (path, maxBytes) => calls.run(path, () => fileSystem.read(path, maxBytes)),
    write: (path, text) => calls.run(path, () => fileSystem.write(path, text)),
    link: (from, to) => calls.run(to, () => fileSystem.link(from, to)),
    rename: (from, to) => calls.run(to, () => fileSystem.rename(from, to)),
    remove: (path) => calls.run(path, () => fileSystem.remove(path)),
    syncDirectory: (path) => calls.run(path, () => fileSystem.syncDirectory(path)),
    modifiedAtMs: (path) => calls.run(path, () => fileSystem.modifiedAtMs(path)),
    touch: (path, text) => calls.run(path, () => fileSystem.touch(path, text)),
  };
}

interface Waiting {
  readonly begin: () => void;
  readonly giveUp: () => void;
}

class Calls {
  readonly #bounds: FileSystemBounds;
  #running = 0;
  #hung = 0;
  #waiting: Waiting[] = [];

  constructor(bounds: FileSystemBounds) {
    this.#bounds = bounds;
  }

  async run<T>(path: string, call: () => Promise<T>): Promise<T> {
    await this.#turn(path);
    return this.#inTime(
      path,
      Promise.resolve().then(() => call()),
    );
  }

  /** Resolves when a further call may begin, and counts it. */
  #turn(path: string): Promise<void> {
    const neverBegun = () =>
      new HungCallError(`${path}: not tried, ${this.#silence()} to others`, Promise.resolve(false));
    if (this.#isStuck()) return Promise.reject(neverBegun());
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        begin: resolve,
        giveUp: () => {
          reject(neverBegun());
        },
      });
      this.#beginNext();
    });
  }

  #inTime<T>(path: string, result: Promise<T>): Promise<T> {
    const { timeoutMs } = this.#bounds;
    return new Promise((resolve, reject) => {
      let isHung = false;
      const settled = result.then(
        () => true,
        () => false,
      );
      const timer = setTimeout(() => {
        isHung = true;
        this.#hung += 1;
        reject(new HungCallError(`${path}: ${this.#silence()}`, settled));
        this.#giveUpIfStuck();
      }, timeoutMs);
      void result.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        if (isHung) this.#hung -= 1;
        this.#running -= 1;
        this.#beginNext();
      });
    });
  }

  #beginNext(): void {
    while (this.#running < this.#bounds.maxCalls) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#running += 1;
      next.begin();
    }
  }

  #giveUpIfStuck(): void {
    if (!this.#isStuck()) return;
    for (const { giveUp } of this.#waiting.splice(0)) giveUp();
  }

  #silence(): string {
    return `no answer within ${this.#bounds.timeoutMs / 1_000} s`;
  }

  #isStuck(): boolean {
    return this.#hung >= this.#bounds.maxCalls;
  }
}
