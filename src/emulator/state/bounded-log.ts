/** A list of the latest `capacity` entries: the requests of the service, and the changes of its state. */
export class BoundedLog<T> {
  readonly #capacity: number;
  #entries: T[] = [];
  #total = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The number of entries added since the last {@link clear}, including entries that are no longer kept. */
  get total(): number {
    return this.#total;
  }

  add(entry: T): void {
    this.#total += 1;
    this.#entries.push(entry);
    // Only every `capacity` entries, because `list` copies.
    if (this.#entries.length >= 2 * this.#capacity) this.#entries = this.list();
  }

  /** The kept entries, oldest first. */
  list(): T[] {
    return this.#entries.slice(-this.#capacity);
  }

  /** Removes all entries. @returns the {@link total} before */
  clear(): number {
    const total = this.#total;
    this.#entries = [];
    this.#total = 0;
    return total;
  }
}
