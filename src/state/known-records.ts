/** What a store knows about its files. */
import { hash } from 'node:crypto';
import type { Target } from '../model/target.ts';

interface KnownFile {
  readonly target: Target;
  /** Of the file's text, which needs more memory. `null` for a file without a record. */
  readonly digest: string | null;
  /** The term of the lock in which the file was last seen. */
  readonly term: number;
}

/** The last content of each file, and whether it was seen since the lock was last taken. */
export class KnownRecords {
  readonly #files = new Map<string, KnownFile>();

  /** Whether this text was last read from a file or written to it. */
  isKnown(file: string, text: string): boolean {
    return this.#files.get(file)?.digest === digestOf(text);
  }

  wasSeenIn(term: number, file: string): boolean {
    return this.#files.get(file)?.term === term;
  }

  /**
   * @param target the target that the file belongs to
   * @param text of the record that the file holds now; `null` without a record
   * @param term of the lock, from before the file was seen
   */
  note(file: string, target: Target, text: string | null, term: number): void {
    this.#files.set(file, { target, digest: text === null ? null : digestOf(text), term });
  }

  keepOnly(isLive: (target: Target) => boolean): void {
    for (const [file, { target }] of this.#files) if (!isLive(target)) this.#files.delete(file);
  }
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64');
}
