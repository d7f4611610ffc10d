/** What a store knows about its files. */
import { hash } from 'node:crypto';
import type { Target } from '../model/target.ts';
import type { RecordText } from './record-file.ts';

interface KnownRecord {
  readonly target: Target;
  /** Of the file's text, which needs more memory. */
  readonly digest: string;
}

/** The last content of each file, and whether it was seen since the lock was last taken. */
export class KnownRecords {
  readonly #records = new Map<string, KnownRecord>();
  /** The term of the lock in which each file was last seen. */
  readonly #terms = new Map<string, number>();

  /** Whether this text was last read from a file or written to it. */
  isKnown(file: string, text: string): boolean {
    return this.#records.get(file)?.digest === digestOf(text);
  }

  wasSeenIn(term: number, file: string): boolean {
    return this.#terms.get(file) === term;
  }

  /**
   * @param content what the file holds now; `null` without a record
   * @param term of the lock, from before the file was seen
   */
  note(file: string, content: RecordText | null, term: number): void {
    if (content === null) {
      this.#records.delete(file);
    } else {
      const { record, text } = content;
      this.#records.set(file, { target: record.target, digest: digestOf(text) });
    }
    this.#terms.set(file, term);
  }

  keepOnly(isLive: (target: Target) => boolean): void {
    for (const [file, { target }] of this.#records) if (!isLive(target)) this.#records.delete(file);
    for (const file of this.#terms.keys()) {
      if (!this.#records.has(file)) this.#terms.delete(file);
    }
  }
}

function digestOf(text: string): string {
  return hash('sha256', text);
}
