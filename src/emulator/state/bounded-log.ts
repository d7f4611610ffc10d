/** A list of the latest entries. When it has `capacity` entries, a new one replaces the oldest. */
export class BoundedLog<T> {
  readonly #capacity: number;
  #entries: T[] = [];
  #total = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The number of entries since the last {@link clear}, including entries that were replaced. */
  get total(): number {
    return this.#total;
  }

  add(entry: T): void {
    this.#total += 1;
    this.#entries.push(entry);
    // Not at each entry, because the whole list is copied.
    if (this.#entries.length >= 2 * this.#capacity) this.#entries = this.list();
  }

  /** The kept entries, oldest first. */
  list(): T[] {
    return this.#entries.slice(-this.#capacity);
  }

  /** @returns how many entries there were, as {@link total} */
  clear(): number {
    const total = this.#total;
    this.#entries = [];
    this.#total = 0;
    return total;
  }
}
