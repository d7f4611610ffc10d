/** The severity and the order of quotas, by their remaining share. */
import type { Quota } from '../model/quota.ts';

export type Severity = 'critical' | 'warning' | 'fine';

/** Shares of the limit. A quota with less than this share remaining has that severity. */
export interface Thresholds {
  readonly warnBelow: number;
  readonly criticalBelow: number;
}

const defaultThresholds: Thresholds = { warnBelow: 0.2, criticalBelow: 0.1 };

/**
 * The share of the limit that remains. At most 1, and negative if the quota is overdrawn.
 *
 * @returns `null` for a limit of 0: without a limit there is no share
 */
export function remainingShare({ remaining, limit }: Quota): number | null {
  return limit === 0 ? null : Math.min(1, remaining / limit);
}

/** Whether more is in use than allowed. A limit can be lowered below the present use. */
export function isOverdrawn({ used, remaining, limit }: Quota): boolean {
  return remaining < 0 || used > limit;
}

export function severityOf(quota: Quota, thresholds: Thresholds = defaultThresholds): Severity {
  if (isOverdrawn(quota)) return 'critical';
  const share = remainingShare(quota);
  if (share === null || share >= thresholds.warnBelow) return 'fine';
  return share < thresholds.criticalBelow ? 'critical' : 'warning';
}

/**
 * Orders overdrawn quotas first. The others follow by their remaining share, the lowest first, and then by the
 * remaining amount. A quota with a limit of 0 comes last.
 */
export function compareUrgency(a: Quota, b: Quota): number {
  return (
    Number(isOverdrawn(b)) - Number(isOverdrawn(a)) ||
    (remainingShare(a) ?? 2) - (remainingShare(b) ?? 2) ||
    a.remaining - b.remaining
  );
}
