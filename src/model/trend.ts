/**
 * The use of quotas in the last 24 hours, at most one point a step, and what it says: how much the use changed, and
 * when a quota will be full (docs/status-page.md). `poll/poll-target.ts` adds the points; page and JSON show them. Pure.
 */
import { z } from 'zod';
import { namedQuotaSchema, quotaKey, quotaNameOf, type Quota } from './quota.ts';
import { timeMs, type Stored } from './stored.ts';

/** The length of a step; shorter if polls are frequent (docs/status-page.md). */
export const usualStepMs = 15 * 60_000;
/** The length of the window in steps: 24 hours of the usual steps. */
const windowSteps = 96;
/** Maximum number of quotas that are in the trend but not in the last answer. */
const maxAbsent = 100;

/** The schema of a trend: the use of the quotas of a target. The point of a step is the first successful poll in it. */
export const trendSchema = z
  .object({
    stepMs: z.number().positive(),
    /** The times of the points, the oldest first. */
    times: z.array(timeMs),
    quotas: z.array(
      namedQuotaSchema.omit({ unit: true }).extend({
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
const noPoints: Pick<Trend, 'times' | 'quotas'> = { times: [], quotas: [] };

/** The use at one time. `null` if it is unknown. */
export interface UsePoint {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly used: number | null;
}

/** What a trend needs of the observed half of a record. */
export interface TrendInput {
  readonly freshness: { readonly lastSuccessAtMs: number | null };
  readonly trend?: Trend | undefined;
}

/**
 * The record with a point for the step of its last success: of the quotas of the answer in its order, then of at most 100
 * that it lacks. The same object if the step has a point already, as after most polls, and after each failed one.
 *
 * @param quotas called only if a point is missing
 */
export function withTrend<R extends { readonly observed: TrendInput }>(
  record: R,
  quotas: (record: R) => readonly Quota[],
  stepMs: number,
): R {
  const { freshness, trend: before } = record.observed;
  const { lastSuccessAtMs: successAtMs } = freshness;
  if (successAtMs === null) return record;
  const { times, quotas: quotasBefore } = before ?? noPoints;
  const stepOf = (atMs: number) => Math.floor(atMs / stepMs);
  const stepsAgo = (atMs: number) => stepOf(successAtMs) - stepOf(atMs);
  if (stepsAgo(times.at(-1) ?? -Infinity) === 0) return record;
  // Points at or after the new step are from before the clock was set back.
  const isInWindow = times.map((atMs) => stepsAgo(atMs) > 0 && stepsAgo(atMs) <= windowSteps);
  /** One value for each time: drops those that leave the window, and adds that of the new point. */
  const withNext = <T>(values: readonly T[], value: T) =>
    values.filter((_, i) => isInWindow[i]).concat(value);
  const useBefore = new Map(quotasBefore.map((quota) => [quotaKey(quota), quota.use]));
  const unknownUse = times.map(() => null);
  const named = quotas(record).map((quota) => {
    const use = useBefore.get(quotaKey(quota)) ?? unknownUse;
    return { ...quotaNameOf(quota), use: withNext(use, quota.used) };
  });
  const keys = new Set(named.map(quotaKey));
  const absent = quotasBefore
    .filter((quota) => !keys.has(quotaKey(quota)))
    .map((quota) => ({ ...quota, use: withNext(quota.use, null) }))
    .filter(({ use }) => use.some((used) => used !== null));
  const nextQuotas = [...named, ...absent.slice(0, maxAbsent)];
  if (nextQuotas.length === 0 && before === undefined) return record;
  const trend = { stepMs, times: withNext(times, successAtMs), quotas: nextQuotas };
  return { ...record, observed: { ...record.observed, trend } };
}

/**
 * The points of a quota, the oldest first: those of its trend, and its use at the last success. Empty before a success.
 */
export function usePoints({ freshness, trend }: TrendInput, quota: Quota): readonly UsePoint[] {
  const { lastSuccessAtMs } = freshness;
  if (lastSuccessAtMs === null) return [];
  const lastPoint = { atMs: lastSuccessAtMs, used: quota.used };
  const { times, quotas } = trend ?? noPoints;
  const key = quotaKey(quota);
  const { use = [] } = quotas.find((each) => quotaKey(each) === key) ?? {};
  const points = times.map((atMs, i) => ({ atMs, used: use[i] ?? null }));
  return [...points.filter(({ atMs }) => atMs < lastSuccessAtMs), lastPoint];
}

/** Whether a quota was stale between two points: they are more than `staleAfterMs` and more than one step apart. */
export function isGap(observed: TrendInput, from: UsePoint, to: UsePoint, staleAfterMs: number) {
  const stepMs = stepMsOf(observed);
  const steps = Math.floor(to.atMs / stepMs) - Math.floor(from.atMs / stepMs);
  return to.atMs - from.atMs > staleAfterMs && steps > 1;
}

const stepMsOf = ({ trend }: TrendInput) => trend?.stepMs ?? usualStepMs;

/** The steps that a forecast is fitted to: 6 hours of the usual steps. */
const fitSteps = 24;
/** The steps that the known points of a fit must cover at least. */
const minFitSteps = fitSteps / 2;
const minFitPoints = 6;
/** A line must explain 90 % of the variance. Two equal jumps of a flat use explain less. */
const minCorrelation = Math.sqrt(0.9);

/**
 * The change of the use from the oldest known point to the last one: `by` how much, `inMs` milliseconds. `null` if the use
 * is known at fewer than two times.
 */
export function changeInUse(points: readonly UsePoint[]) {
  const withUse = knownPoints(points);
  const [first, last] = [withUse.at(0), withUse.at(-1)];
  if (first === undefined || last === undefined || first.atMs >= last.atMs) return null;
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
  // A use that falls or stays has no correlation that is high enough.
  const { correlation, slope } = leastSquares(fitted);
  const inMs = remaining / slope;
  return correlation >= minCorrelation && inMs <= windowSteps * stepMs ? inMs : null;
}

/** The points whose use is known, in their order. */
function knownPoints(points: readonly UsePoint[]) {
  return points.flatMap(({ atMs, used }) => (used === null ? [] : [{ atMs, used }]));
}

/**
 * The slope of the line through points, per millisecond, and the correlation of use and time: negative if the use
 * falls, and NaN if it stays. Its square (R²) is the share of the variance that the line explains.
 */
function leastSquares(points: ReturnType<typeof knownPoints>) {
  const sum = (term: (point: (typeof points)[number]) => number) =>
    points.reduce((total, point) => total + term(point), 0);
  const meanMs = sum(({ atMs }) => atMs) / points.length;
  const meanUsed = sum(({ used }) => used) / points.length;
  const covariance = sum(({ atMs, used }) => (atMs - meanMs) * (used - meanUsed));
  const varianceMs = sum(({ atMs }) => (atMs - meanMs) ** 2);
  const varianceUsed = sum(({ used }) => (used - meanUsed) ** 2);
  return {
    slope: covariance / varianceMs,
    correlation: covariance / Math.sqrt(varianceMs) / Math.sqrt(varianceUsed),
  };
}
