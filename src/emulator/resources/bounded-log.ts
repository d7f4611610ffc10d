/** A list of the latest entries. When it has `capacity` entries, a new one replaces the oldest. */
export class BoundedLog<T> implements Iterable<T> {
  readonly #capacity: number;
  #entries: T[] = [];
  #oldest = 0;
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
    if (this.#entries.length < this.#capacity) {
      this.#entries.push(entry);
      return;
    }
    this.#entries[this.#oldest] = entry;
    this.#oldest = (this.#oldest + 1) % this.#capacity;
  }

  /** The kept entries, oldest first. */
  list(): T[] {
    return [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)];
  }

  clear(): void {
    this.#entries = [];
    this.#oldest = 0;
    this.#total = 0;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.list()[Symbol.iterator]();
  }
}
