/** How near a quota is to its end: the order and the severity that people see. */
import type { Quota } from '../model/snapshot.ts';

export type Severity = 'critical' | 'warning' | 'fine';

/** Shares of the limit; a quota of which less remains is of that severity. */
export interface Thresholds {
  readonly warnBelow: number;
  readonly criticalBelow: number;
}

const defaultThresholds: Thresholds = { warnBelow: 0.2, criticalBelow: 0.1 };

/**
 * The share of the limit that remains, 0 to 1; `null` for a limit of 0, which says that the account
 * was granted nothing, not that it used something up.
 */
export function remainingShare({ remaining, limit }: Quota): number | null {
  return limit === 0 ? null : Math.min(1, remaining / limit);
}

export function severityOf(quota: Quota, thresholds: Thresholds = defaultThresholds): Severity {
  const share = remainingShare(quota);
  if (share === null || share >= thresholds.warnBelow) return 'fine';
  return share < thresholds.criticalBelow ? 'critical' : 'warning';
}

/** Orders the quota of which the smaller share remains first, then the one with less left. */
export function compareStanding(a: Quota, b: Quota): number {
  const shareA = remainingShare(a) ?? 2;
  const shareB = remainingShare(b) ?? 2;
  return shareA - shareB || a.remaining - b.remaining;
}
