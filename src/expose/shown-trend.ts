import { fullInMs, useChange, type UseChange } from '../model/forecast.ts';
import { usePoints, usualStepMs, type UsePoint } from '../model/trend.ts';
import type { QuotaRow } from './watched.ts';

/** The trend of a quota, as the page and `/api/v1/quotas` show it. docs/trend.md explains it. */
export interface ShownTrend {
  /** The oldest first. The last one is the use at the last success. */
  readonly points: readonly UsePoint[];
  readonly stepMs: number;
  /** `null` for a stale quota, and if fewer than two points are known. */
  readonly change: UseChange | null;
  /** The time from the last success to a full quota. `null` for a stale quota, and without steady growth. */
  readonly fullInMs: number | null;
}

export function trendOf({ quota, watched }: QuotaRow): ShownTrend {
  const { isFresh, record } = watched;
  const points = usePoints(record.seen, quota);
  const stepMs = record.seen.trend?.stepMs ?? usualStepMs;
  return {
    points,
    stepMs,
    change: isFresh ? useChange(points) : null,
    fullInMs: isFresh ? fullInMs(points, quota, stepMs) : null,
  };
}
