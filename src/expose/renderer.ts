/** Renders pages and scrapes, so that many clients cost no more than one. */

interface Rendering<T> {
  /** `null` while it waits for an earlier rendering. */
  begunAtMs: number | null;
  /** A promise until it is rendered. */
  result: T | Promise<T>;
}

/**
 * Creates a function that renders what a key stands for: one key at a time, and each at most once in an interval. All
 * calls in the interval get the same result, so no result is older than the interval. A failure is not kept.
 *
 * @param max number of results that are kept; a further key replaces the oldest
 * @param now a clock that may be set back, in milliseconds
 */
export function createRenderer<T>(minIntervalMs: number, max: number, now: () => number) {
  const renderings = new Map<string, Rendering<T>>();
  /** Settles when all renderings until now have ended. */
  let last: Promise<unknown> = Promise.resolve();
  const isRecent = ({ begunAtMs }: Rendering<T>) =>
    begunAtMs === null || Math.abs(now() - begunAtMs) < minIntervalMs;
  return (key: string, render: () => Promise<T>): T | Promise<T> => {
    const current = renderings.get(key);
    if (current !== undefined && isRecent(current)) return current.result;
    const result = last.then(() => {
      rendering.begunAtMs = now();
      return render();
    });
    const rendering: Rendering<T> = { begunAtMs: null, result };
    last = result.then(
      (rendered) => {
        rendering.result = rendered;
      },
      () => renderings.delete(key),
    );
    for (const [oldKey, old] of renderings) if (!isRecent(old)) renderings.delete(oldKey);
    renderings.set(key, rendering);
    const [oldest] = renderings.keys();
    if (renderings.size > max && oldest !== undefined) renderings.delete(oldest);
    return result;
  };
}
