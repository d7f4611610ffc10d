interface Rendering<T> {
  readonly begunAtMs: number;
  readonly result: Promise<T>;
  isDone: boolean;
}

/**
 * Renders what many ask for: one at a time, and each at most once in an interval. In between, the last one is the
 * answer.
 */
export class Renderings<T> {
  readonly #minIntervalMs: number;
  readonly #max: number;
  readonly #known = new Map<string, Rendering<T>>();
  /** Settles when everything that was asked for is rendered. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param max number of renderings that are remembered */
  constructor(minIntervalMs: number, max: number) {
    this.#minIntervalMs = minIntervalMs;
    this.#max = max;
  }

  /** @param nowMs of a clock that may be set back */
  get(key: string, nowMs: number, render: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key);
    const isRecent = known !== undefined && Math.abs(nowMs - known.begunAtMs) < this.#minIntervalMs;
    if (known !== undefined && (isRecent || !known.isDone)) return known.result;
    const result = this.#last.then(render);
    const rendering: Rendering<T> = { begunAtMs: nowMs, result, isDone: false };
    this.#last = result
      .catch(() => this.#known.delete(key))
      .finally(() => {
        rendering.isDone = true;
      });
    this.#known.delete(key);
    this.#known.set(key, rendering);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#max && oldest !== undefined) this.#known.delete(oldest);
    return result;
  }
}
