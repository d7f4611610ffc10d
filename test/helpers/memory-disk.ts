/** A disk in memory. Its power can fail between any two steps. */
import type { FileSystem } from '../../src/state/file-system.ts';
import { systemError } from './file-stores.ts';

interface Inode {
  /** The content for a reader. */
  text: string;
  /** The content on the disk. */
  durableText: string;
}

/**
 * The state after an end. After a kill, everything that was written exists. After a power cut, only synced
 * content exists. Changed names exist as far as the journal was written, or not at all.
 */
export const ends = ['kill', 'power cut', 'power cut after the journal'] as const;
export type End = (typeof ends)[number];

export class MemoryDisk implements FileSystem {
  #names: Map<string, Inode>;
  #durableNames: Map<string, Inode>;
  #stepsLeft = Infinity;
  #stepsTaken = 0;

  constructor(names = new Map<string, Inode>()) {
    this.#names = names;
    this.#durableNames = new Map(names);
  }

  /** The number of steps that changed something. */
  get stepsTaken(): number {
    return this.#stepsTaken;
  }

  /** Allows `steps` more steps. All later steps fail. */
  endAfter(steps: number): void {
    this.#stepsLeft = steps;
  }

  /** The disk for the next process. */
  after(end: End): MemoryDisk {
    const names = end === 'power cut' ? this.#durableNames : this.#names;
    const survivor = ({ text, durableText }: Inode) => {
      const left = end === 'kill' ? text : durableText;
      return { text: left, durableText: left };
    };
    return new MemoryDisk(new Map([...names].map(([path, inode]) => [path, survivor(inode)])));
  }

  /** The only directory always exists. */
  makeDirectory(): Promise<void> {
    return Promise.resolve();
  }

  list(directory: string): Promise<readonly string[]> {
    const names = [...this.#names.keys()].map((path) => path.slice(directory.length + 1));
    return Promise.resolve(names);
  }

  read(path: string): Promise<string> {
    return this.#ask(path, ({ text }) => text);
  }

  async write(path: string, text: string): Promise<void> {
    await this.#step();
    const inode: Inode = { text: '', durableText: '' };
    this.#names.set(path, inode);
    await this.#step();
    inode.text = text.slice(0, text.length / 2);
    await this.#step();
    inode.text = text;
    await this.#step();
    inode.durableText = text;
  }

  async link(from: string, to: string): Promise<void> {
    await this.#step();
    if (this.#names.has(to)) throw systemError('EEXIST');
    this.#names.set(to, this.#inode(from));
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#step();
    this.#names.set(to, this.#inode(from));
    this.#names.delete(from);
  }

  async remove(path: string): Promise<void> {
    await this.#step();
    if (!this.#names.delete(path)) throw systemError('ENOENT');
  }

  async syncDirectory(): Promise<void> {
    await this.#step();
    this.#durableNames = new Map(this.#names);
  }

  modifiedAtMs(path: string): Promise<number> {
    return this.#ask(path, () => 0);
  }

  touch(path: string, expected: string): Promise<boolean> {
    return this.#ask(path, ({ text }) => text === expected);
  }

  #inode(path: string): Inode {
    const inode = this.#names.get(path);
    if (inode === undefined) throw systemError('ENOENT');
    return inode;
  }

  async #ask<T>(path: string, question: (inode: Inode) => T): Promise<T> {
    await Promise.resolve();
    return question(this.#inode(path));
  }

  async #step(): Promise<void> {
    await Promise.resolve();
    if (this.#stepsLeft === 0) throw systemError('EIO');
    this.#stepsLeft -= 1;
    this.#stepsTaken += 1;
  }
}
