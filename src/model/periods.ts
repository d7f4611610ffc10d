/** Periods that begin at another time for each target, so that not all targets are due at the same time. Pure. */
import { createHash } from 'node:crypto';

export const hourMs = 3_600_000;

/**
 * Whether two instants are in the same period of a target. The beginning of the periods follows from its key.
 *
 * @param key the key of the target
 * @param periodMs at most 2^32
 */
export function areInSamePeriod(
  key: string,
  [oneMs, otherMs]: readonly [number, number],
  periodMs: number,
): boolean {
  const startMs = createHash('sha256').update(key).digest().readUInt32BE() % periodMs;
  const periodOf = (atMs: number) => Math.floor((atMs - startMs) / periodMs);
  return periodOf(oneMs) === periodOf(otherMs);
}
