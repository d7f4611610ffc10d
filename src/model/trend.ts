/**
 * The use of quotas in the last 24 hours, at most one point a step, and what it says: how much the use changed, and
 * when a quota will be full (docs/status-page.md). Pure.
 */
import { z } from 'zod';
import { quotaKey, quotaNameOf, type Quota } from './quota.ts';
import { labelMap, text, timeMs, zoneOrNull, type Stored } from './stored.ts';

/** The length of a step; shorter if polls are frequent (docs/status-page.md). */
export const usualStepMs = 15 * 60_000;
/** The length of the window in steps: 24 hours of the usual steps. */
const windowSteps = 96;
/** Maximum number of quotas that are in the trend but not in the last answer. */
const maxAbsent = 100;

/** The use of the quotas of a target. The point of a step is the first successful poll in it. */
export const trendSchema = z
  .object({
    stepMs: z.number().positive(),
    /** Of the points, the oldest first. */
    times: z.array(timeMs),
    quotas: z.array(
      z.object({
        type: text,
        zone: zoneOrNull,
        labels: labelMap.optional(),
        /** At each of the times. `null` is unknown. */
        use: z.array(z.number().nullable()),
      }),
    ),
  })
  .refine(
    ({ quotas, times }) =>
      times.every((atMs, i) => atMs > (times[i - 1] ?? -1)) &&
      quotas.every(({ use }) => use.length === times.length),
  );
export type Trend = Stored<typeof trendSchema>;
type Use = Trend['quotas'][number]['use'];

/** The use at one time. `null` if it is unknown. */
export interface UsePoint {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly used: number | null;
}

/** The part of what a record saw that a trend belongs to. */
export interface TrendInput {
  readonly freshness: { readonly lastSuccessAtMs: number | null };
  readonly trend?: Trend | undefined;
}

/**
 * The record with a point for the step of its last success. It is the same object if the step has a point, so
 * that most polls cost nothing.
 *
 * @param quotas called only if a point is missing
 */
export function withTrend<R extends { readonly observed: TrendInput }>(
  record: R,
  quotas: (record: R) => readonly Quota[],
  stepMs: number,
): R {
  const { freshness, trend: known } = record.observed;
  const { lastSuccessAtMs: nowMs } = freshness;
  if (nowMs === null) return record;
  const stepsAgo = (atMs: number) => Math.floor(nowMs / stepMs) - Math.floor(atMs / stepMs);
  const times = known?.times ?? [];
  if (stepsAgo(times.at(-1) ?? -Infinity) === 0) return record;
  // Points at or after the new one are from before the clock was set back.
  const isKept = (atMs: number) => stepsAgo(atMs) > 0 && stepsAgo(atMs) <= windowSteps;
  // If there is none, it is from -1 to 0, which no list has.
  const kept = [times.findIndex(isKept), times.findLastIndex(isKept) + 1];
  const nextUse = (use: Use, used: number | null) => [...use.slice(...kept), used];
  const unknown = times.map(() => null);
  const next = nextQuotas(known?.quotas ?? [], quotas(record), nextUse, unknown);
  if (next.length === 0 && known === undefined) return record;
  const trended = { stepMs, times: [...times.slice(...kept), nowMs], quotas: next };
  return { ...record, observed: { ...record.observed, trend: trended } };
}

/**
 * @param nextUse the use at the times that are kept, and at the new one
 * @param unknown the use at all times of a quota that is new
 */
function nextQuotas(
  before: Trend['quotas'],
  quotas: readonly Quota[],
  nextUse: (use: Use, used: number | null) => Use,
  unknown: Use,
): Trend['quotas'] {
  const known = new Map(before.map((each) => [quotaKey(each), each]));
  const present = quotas.map((quota) => {
    const use = nextUse(known.get(quotaKey(quota))?.use ?? unknown, quota.used);
    known.delete(quotaKey(quota));
    return { ...quotaNameOf(quota), use };
  });
  const absent = [...known.values()]
    .map(({ use, ...name }) => ({ ...name, use: nextUse(use, null) }))
    .filter(({ use }) => use.some((used) => used !== null));
  return [...present, ...absent.slice(0, maxAbsent)];
}

/**
 * The use of a quota in the window before the last success of its record, and at that success. The oldest point
 * is the first.
 */
export function usePoints(
  { freshness, trend: kept }: TrendInput,
  quota: Quota,
): readonly UsePoint[] {
  const { lastSuccessAtMs } = freshness;
  if (lastSuccessAtMs === null) return [];
  const present = { atMs: lastSuccessAtMs, used: quota.used };
  const { times = [], quotas = [] } = kept ?? {};
  const key = quotaKey(quota);
  const { use = [] } = quotas.find((each) => quotaKey(each) === key) ?? {};
  const points = times.map((atMs, i) => ({ atMs, used: use[i] ?? null }));
  return [...points.filter(({ atMs }) => atMs < lastSuccessAtMs), present];
}

/** Whether a quota was stale between two points: the next one is too late, and not of the next step. */
export function isGap(
  observed: TrendInput,
  { atMs }: UsePoint,
  next: UsePoint,
  staleAfterMs: number,
): boolean {
  const stepMs = stepMsOf(observed);
  const steps = Math.floor(next.atMs / stepMs) - Math.floor(atMs / stepMs);
  return next.atMs - atMs > staleAfterMs && steps > 1;
}

const stepMsOf = ({ trend: kept }: TrendInput) => kept?.stepMs ?? usualStepMs;

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

/**
 * The change from the oldest known point to the last one, and the time in which it changed. `null` if fewer than two
 * times are known.
 */
export function changeInUse(points: readonly UsePoint[]) {
  const known = knownPoints(points);
  const [first] = known;
  if (first === undefined) return null;
  const last = known.at(-1) ?? first;
  if (first.atMs >= last.atMs) return null;
  return { by: last.used - first.used, inMs: last.atMs - first.atMs };
}

/**
 * The trend of a quota: the points, the oldest first, of which the last one is the use at the last success; the change
 * between them; and the time from the last success to a full quota. A stale quota has neither of the last two.
 * docs/status-page.md explains them.
 */
export function trendOf(observed: TrendInput, quota: Quota, isFresh: boolean) {
  const points = usePoints(observed, quota);
  return {
    points,
    change: isFresh ? changeInUse(points) : null,
    fullInMs: isFresh ? fullInMs(points, quota, stepMsOf(observed)) : null,
  };
}

/**
 * When a quota will be full, if its use grows on like in the last steps. Measured from the last point.
 *
 * @returns milliseconds; `null` if the use does not grow steadily, if too little is known, or if the quota would
 * be full later than the length of the window
 */
export function fullInMs(points: readonly UsePoint[], quota: Quota, stepMs: number): number | null {
  const endMs = points.at(-1)?.atMs ?? 0;
  const fitted = knownPoints(points).filter(({ atMs }) => atMs >= endMs - fitSteps * stepMs);
  const coveredMs = endMs - (fitted[0]?.atMs ?? endMs);
  const remaining = quota.remaining ?? 0;
  if (remaining <= 0 || fitted.length < minFitPoints || coveredMs < minFitSteps * stepMs) {
    return null;
  }
  const { correlation, slope } = leastSquares(fitted);
  const inMs = remaining / slope;
  return correlation >= minCorrelation && inMs <= windowSteps * stepMs ? inMs : null;
}

function knownPoints(points: readonly UsePoint[]): KnownPoint[] {
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
