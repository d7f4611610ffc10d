/** Collects the bytes of an answer. Refuses at once an answer that would need too much memory or time. */

/** Three times a page of 100 versions with the largest UserData. */
const maxBytes = 8 * 1024 * 1024;
/** The bytes without long texts: three times those of such a page. */
const maxKeptBytes = 1024 * 1024;
/** A page of 100 versions with 500 values each. A parsed `{}` needs twenty times the memory of its bytes. */
const maxValues = 50_000;
const maxDepth = 64;
/** No text that is read is longer. UserData may be longer; it is never needed and may hold secrets. */
const maxTextBytes = 4096;

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Reads JSON byte by byte as it arrives, without parsing it into values. It keeps a text of more than
 * 4,096 bytes as an empty text, and white space as one byte, so that it takes little memory. It does not
 * check that the rest is JSON.
 */
export class AnswerBody {
  #kept: Buffer = Buffer.alloc(0);
  #length = 0;
  #receivedBytes = 0;
  #values = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isSpace = false;
  /** Start of the present text in the kept bytes. -1 when the text is too long to keep. */
  #textStart = 0;

  /** The number of kept bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds the next bytes. Returns the reason for a refusal, or `null`. */
  append(chunk: Buffer): string | null {
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes > maxBytes) return `is longer than ${maxBytes} bytes`;
    this.#reserve(chunk.length);
    const { length } = chunk;
    // An index takes two thirds of the time of an iterator.
    for (let i = 0; i < length; i += 1) {
      const byte = chunk[i] ?? 0;
      if (this.#isInText) this.#addToText(byte);
      else this.#addToStructure(byte);
    }
    if (this.#length > maxKeptBytes) return `holds more than ${maxKeptBytes} bytes of short values`;
    if (this.#values > maxValues) return `holds more than ${maxValues} values`;
    if (this.#depth > maxDepth) return `is nested deeper than ${maxDepth} levels`;
    return null;
  }

  toString(): string {
    return this.#kept.toString('utf8', 0, this.#length);
  }

  #addToText(byte: number): void {
    const isEnd = byte === quote && !this.#isEscaped;
    this.#isEscaped = byte === backslash && !this.#isEscaped;
    if (isEnd) this.#isInText = false;
    else if (this.#textStart === -1) return;
    this.#keep(byte);
    if (!isEnd && this.#length - this.#textStart > maxTextBytes) {
      this.#length = this.#textStart;
      this.#textStart = -1;
    }
  }

  #addToStructure(byte: number): void {
    const isSpace = byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
    if (isSpace && this.#isSpace) return;
    this.#isSpace = isSpace;
    this.#keep(byte);
    if (byte === quote) {
      this.#isInText = true;
      this.#textStart = this.#length;
    } else if (byte === comma) {
      this.#values += 1;
    } else if (byte === openBracket || byte === openBrace) {
      this.#values += 1;
      this.#depth += 1;
    } else if (byte === closeBracket || byte === closeBrace) {
      this.#depth -= 1;
    }
  }

  #keep(byte: number): void {
    this.#kept[this.#length] = byte;
    this.#length += 1;
  }

  /** Copies into a larger buffer if needed. A list of separate pieces could use a gigabyte. */
  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#kept.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#kept.length * 2));
    this.#kept.copy(grown, 0, 0, this.#length);
    this.#kept = grown;
  }
}

/** More bytes than any answer about quotas has. */
const smallBytes = 64 * 1024;
/** Maximum number of larger answers at the same time, for all accounts together. */
const maxLarge = 4;

/** Assigns places for large answers, in the order of the requests. */
export class LargeAnswers {
  #free = maxLarge;
  readonly #waiting = new Set<() => void>();

  isLarge(body: AnswerBody): boolean {
    return body.length > smallBytes;
  }

  /**
   * Takes a place. If none is free, calls `pause`, and calls `resume` when there is one.
   *
   * @returns a function that gives the place back, or ends the wait for it; a second call does nothing
   */
  take({ pause, resume }: { pause: () => void; resume: () => void }): () => void {
    let hasPlace = this.#free > 0;
    const enter = () => {
      hasPlace = true;
      this.#free -= 1;
      resume();
    };
    if (hasPlace) {
      this.#free -= 1;
    } else {
      this.#waiting.add(enter);
      pause();
    }
    return () => {
      this.#waiting.delete(enter);
      if (!hasPlace) return;
      hasPlace = false;
      this.#free += 1;
      const [next] = this.#waiting;
      if (next === undefined) return;
      this.#waiting.delete(next);
      next();
    };
  }
}
