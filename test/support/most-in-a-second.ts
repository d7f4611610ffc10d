/** The maximum number of times in any sliding second. Times are in milliseconds. */
export function mostInASecond(momentsMs: readonly number[]): number {
  if (momentsMs.some(Number.isNaN)) throw new Error('a time is not known');
  const sorted = [...momentsMs].sort((a, b) => a - b);
  const counts = sorted.map(
    (start) => sorted.filter((at) => at >= start && at < start + 1_000).length,
  );
  return Math.max(0, ...counts);
}
