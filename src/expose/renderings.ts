interface Rendering<T> {
  /** `null` while it waits for another one. */
  begunAtMs: number | null;
  /** A promise until it is rendered. */
  result: T | Promise<T>;
}

/**
 * Renders what many ask for: one at a time, and each at most once in an interval. In between, the last one is the
 * answer, so that no answer is older than the interval.
 */
export class Renderings<T> {
  readonly #minIntervalMs: number;
  readonly #max: number;
  readonly #now: () => number;
  readonly #known = new Map<string, Rendering<T>>();
  /** Settles when everything that was asked for is rendered. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param max number of renderings that are remembered
   * @param now a clock that may be set back
   */
  constructor(minIntervalMs: number, max: number, now: () => number) {
    this.#minIntervalMs = minIntervalMs;
    this.#max = max;
    this.#now = now;
  }

  get(key: string, render: () => Promise<T>): T | Promise<T> {
    const known = this.#known.get(key);
    if (known !== undefined && this.#isRecent(known)) return known.result;
    const result = this.#last.then(() => {
      rendering.begunAtMs = this.#now();
      return render();
    });
    const rendering: Rendering<T> = { begunAtMs: null, result };
    this.#last = result.then(
      (rendered) => {
        rendering.result = rendered;
      },
      () => this.#known.delete(key),
    );
    for (const [each, old] of this.#known) if (!this.#isRecent(old)) this.#known.delete(each);
    this.#known.set(key, rendering);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#max && oldest !== undefined) this.#known.delete(oldest);
    return result;
  }

  #isRecent({ begunAtMs }: Rendering<T>): boolean {
    return begunAtMs === null || Math.abs(this.#now() - begunAtMs) < this.#minIntervalMs;
  }
}
