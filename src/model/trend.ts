/** The use of quotas in the last 24 hours, in steps of equal length. Pure. */
import { quotaKey, type Quota } from './quota.ts';
import type { Stored, trend } from './stored.ts';

/** The length of a step; shorter if polls are frequent (docs/status-page.md). */
export const usualStepMs = 15 * 60_000;
/** The length of the window in steps: 24 hours of the usual steps. */
export const windowSteps = 96;
/** One at each end of each step. */
const maxPoints = windowSteps + 1;
/** Maximum number of quotas that are in the trend but not in the last answer. */
const maxAbsent = 100;

export type Trend = Stored<typeof trend>;
type Use = Trend['quotas'][number]['use'];

/** The use at one time. `null` if it is unknown. */
export interface UsePoint {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly used: number | null;
}

/** The part of what a record saw that a trend belongs to. */
export interface Trended {
  readonly freshness: { readonly lastSuccessAtMs: number | null };
  readonly trend?: Trend | undefined;
}

/**
 * The record with a point for the step of its last success. It is the same object if the step has a point, so
 * that most polls cost nothing.
 *
 * @param quotas called only if a point is missing
 * @param stepMs another length than that of the known points begins a new trend
 */
export function withTrend<R extends { readonly seen: Trended }>(
  record: R,
  quotas: (record: R) => readonly Quota[],
  stepMs: number,
): R {
  const { lastSuccessAtMs } = record.seen.freshness;
  if (lastSuccessAtMs === null) return record;
  const known = record.seen.trend?.stepMs === stepMs ? record.seen.trend : undefined;
  const step = Math.floor(lastSuccessAtMs / stepMs);
  if (known?.lastStep === step) return record;
  const next = nextQuotas(known?.quotas ?? [], quotas(record), step - (known?.lastStep ?? step));
  if (next.length === 0 && record.seen.trend === undefined) return record;
  return { ...record, seen: { ...record.seen, trend: { stepMs, lastStep: step, quotas: next } } };
}

/** @param steps from the last point to the new one; negative if the clock was set back */
function nextQuotas(
  before: Trend['quotas'],
  quotas: readonly Quota[],
  steps: number,
): Trend['quotas'] {
  const known = new Map(before.map((trend) => [quotaKey(trend), trend]));
  const present = quotas.map((quota) => {
    const { type, zone, labels, used } = quota;
    const use = nextUse(known.get(quotaKey(quota))?.use ?? [], used, steps);
    known.delete(quotaKey(quota));
    return { type, zone, ...(labels && { labels }), use };
  });
  const absent = [...known.values()]
    .map(({ use, ...name }) => ({ ...name, use: nextUse(use, null, steps) }))
    .filter(({ use }) => use.some((used) => used !== null));
  return [...present, ...absent.slice(0, maxAbsent)];
}

/** Points at or after the new one are from before the clock was set back. They are dropped. */
function nextUse(use: Use, used: number | null, steps: number): Use {
  const kept = use.slice(0, Math.max(0, use.length + Math.min(0, steps - 1)));
  const unknown = Array.from({ length: Math.min(maxPoints, Math.max(0, steps - 1)) }, () => null);
  return [...kept, ...unknown, used].slice(-maxPoints);
}

/**
 * The use of a quota in the window before the last success of its record, and at that success. The oldest point
 * is the first.
 */
export function usePoints({ freshness, trend }: Trended, quota: Quota): readonly UsePoint[] {
  const { lastSuccessAtMs } = freshness;
  if (lastSuccessAtMs === null) return [];
  const present = { atMs: lastSuccessAtMs, used: quota.used };
  if (trend === undefined) return [present];
  const { lastStep, quotas, stepMs } = trend;
  const key = quotaKey(quota);
  const points = quotas.find((each) => quotaKey(each) === key)?.use ?? [];
  const firstStep = lastStep - points.length + 1;
  return [...points.map((used, i) => ({ atMs: (firstStep + i) * stepMs, used })), present];
}
