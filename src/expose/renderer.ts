interface Rendering<T> {
  /** `null` while it waits for another one. */
  begunAtMs: number | null;
  /** A promise until it is rendered. */
  result: T | Promise<T>;
}

/**
 * Renders what many ask for: one at a time, and each at most once in an interval. In between, the last one is the
 * answer, so that no answer is older than the interval.
 *
 * @param max number of renderings that are remembered
 * @param now a clock that may be set back
 */
export function createRenderer<T>(minIntervalMs: number, max: number, now: () => number) {
  const known = new Map<string, Rendering<T>>();
  /** Settles when everything that was asked for is rendered. */
  let last: Promise<unknown> = Promise.resolve();
  const isRecent = ({ begunAtMs }: Rendering<T>) =>
    begunAtMs === null || Math.abs(now() - begunAtMs) < minIntervalMs;
  return (key: string, render: () => Promise<T>): T | Promise<T> => {
    const present = known.get(key);
    if (present !== undefined && isRecent(present)) return present.result;
    const result = last.then(() => {
      rendering.begunAtMs = now();
      return render();
    });
    const rendering: Rendering<T> = { begunAtMs: null, result };
    last = result.then(
      (rendered) => {
        rendering.result = rendered;
      },
      () => known.delete(key),
    );
    for (const [each, old] of known) if (!isRecent(old)) known.delete(each);
    known.set(key, rendering);
    const [oldest] = known.keys();
    if (known.size > max && oldest !== undefined) known.delete(oldest);
    return result;
  };
}
