/**
 * The maximum number of times in any sliding second. Times are in milliseconds.
 *
 * @param lateMs how late a busy machine may have noted a time; the window is shorter by that
 */
export function mostInASecond(momentsMs: readonly number[], lateMs = 0): number {
  const sorted = [...momentsMs].sort((a, b) => a - b);
  const counts = sorted.map(
    (start) => sorted.filter((at) => at >= start && at < start + 1_000 - lateMs).length,
  );
  return Math.max(0, ...counts);
}
