/** The latest entries of something that never ends: the oldest make room once `capacity` is reached. */
export class BoundedLog<T> implements Iterable<T> {
  readonly #capacity: number;
  #entries: T[] = [];
  #oldest = 0;
  #total = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** How many were ever added since the last {@link clear}, those that made room included. */
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

  /** What is kept, oldest first. */
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
