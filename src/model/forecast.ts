/** What the trend of a quota says: how much its use changed, and when it will be full (docs/status-page.md). Pure. */
import type { Quota } from './quota.ts';
import { windowSteps, type UsePoint } from './trend.ts';

/** The steps that a forecast is fitted to: 6 hours of the usual steps. */
const fitSteps = 24;
/** The steps that the known points of a fit must cover at least. */
const minFitSteps = fitSteps / 2;
const minFitPoints = 6;
/** A line must explain 90 % of the variance. Two equal jumps of a flat use explain less. */
const minCorrelation = Math.sqrt(0.9);

interface KnownPoint {
  readonly atMs: number;
  readonly used: number;
}

/** The change of a use, and the time in which it changed. */
export interface UseChange {
  readonly by: number;
  readonly inMs: number;
}

/** The change from the oldest known point to the last one. `null` if fewer than two times are known. */
export function useChange(points: readonly UsePoint[]): UseChange | null {
  const known = knownOf(points);
  const [first] = known;
  if (first === undefined) return null;
  const last = known.at(-1) ?? first;
  if (first.atMs >= last.atMs) return null;
  return { by: last.used - first.used, inMs: last.atMs - first.atMs };
}

/**
 * When a quota will be full, if its use grows on like in the last steps. Measured from the last point.
 *
 * @returns milliseconds; `null` if the use does not grow steadily, if too little is known, or if the quota would
 * be full later than the length of the window
 */
export function fullInMs(
  points: readonly UsePoint[],
  { remaining }: Quota,
  stepMs: number,
): number | null {
  const endMs = points.at(-1)?.atMs ?? 0;
  const fitted = knownOf(points).filter(({ atMs }) => atMs >= endMs - fitSteps * stepMs);
  const coveredMs = endMs - (fitted[0]?.atMs ?? endMs);
  if (
    remaining === null ||
    remaining <= 0 ||
    fitted.length < minFitPoints ||
    coveredMs < minFitSteps * stepMs
  ) {
    return null;
  }
  const { correlation, slope } = leastSquares(fitted);
  const inMs = remaining / slope;
  return correlation >= minCorrelation && inMs <= windowSteps * stepMs ? inMs : null;
}

function knownOf(points: readonly UsePoint[]): KnownPoint[] {
  return points.flatMap(({ atMs, used }) => (used === null ? [] : [{ atMs, used }]));
}

/**
 * The slope of the line through points, per millisecond, and the correlation of use and time: negative if the use
 * falls, and NaN if it stays. Its square (R²) is the share of the variance that the line explains.
 */
function leastSquares(points: readonly KnownPoint[]): { slope: number; correlation: number } {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanMs = mean(points.map(({ atMs }) => atMs));
  const meanUsed = mean(points.map(({ used }) => used));
  let covariance = 0;
  let varianceMs = 0;
  let varianceUsed = 0;
  for (const { atMs, used } of points) {
    const fromMeanMs = atMs - meanMs;
    const fromMeanUsed = used - meanUsed;
    covariance += fromMeanMs * fromMeanUsed;
    varianceMs += fromMeanMs ** 2;
    varianceUsed += fromMeanUsed ** 2;
  }
  return {
    slope: covariance / varianceMs,
    correlation: covariance / Math.sqrt(varianceMs) / Math.sqrt(varianceUsed),
  };
}
