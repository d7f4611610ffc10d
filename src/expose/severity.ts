/** The severity of quotas, and their order. Nothing else decides it. */
import type { Quota } from '../model/quota.ts';
import type { RemainingThresholds, ThresholdsOfQuota } from '../model/thresholds.ts';

/** `unknown`: nothing tells what remains. */
export type Severity = 'critical' | 'warning' | 'unknown' | 'fine';

/** A quota, and what its thresholds make of it. */
export interface Judgement {
  readonly quota: Quota;
  /** `null` for a muted quota, and for a limit of 0. */
  readonly thresholds: RemainingThresholds | null;
  readonly severity: Severity;
  /**
   * The share of the limit that remains. At most 1, and negative if the quota is overdrawn. `null` for a limit
   * of 0: without a limit there is no share. `null` too while what remains is unknown.
   */
  readonly remainingShare: number | null;
}

/** Whether more is in use than allowed. A limit can be lowered below the present use. */
export function isOverdrawn({ used, remaining, limit }: Quota): boolean {
  return (remaining !== null && remaining < 0) || (used !== null && used > limit);
}

/** Whether the quota is fine only because the configuration mutes it. */
export function isMuted({ quota, thresholds }: Judgement): boolean {
  return thresholds === null && quota.limit > 0 && !isOverdrawn(quota);
}

export function judgementOf(quota: Quota, thresholdsOf: ThresholdsOfQuota): Judgement {
  const thresholds = thresholdsOf(quota);
  return {
    quota,
    thresholds,
    severity: severityOf(quota, thresholds),
    remainingShare:
      quota.limit === 0 || quota.remaining === null
        ? null
        : Math.min(1, quota.remaining / quota.limit),
  };
}

/**
 * An overdrawn quota is critical without thresholds too: more is in use than allowed. A quota with thresholds
 * is critical when nothing remains, also for a threshold of 0. One that is muted is fine, whatever is unknown.
 */
function severityOf(quota: Quota, thresholds: RemainingThresholds | null): Severity {
  if (isOverdrawn(quota)) return 'critical';
  if (thresholds === null) return 'fine';
  if (quota.remaining === null) return 'unknown';
  if (quota.remaining <= 0 || quota.remaining < thresholds.critical) return 'critical';
  return quota.remaining < thresholds.warning ? 'warning' : 'fine';
}

const ranks: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, unknown: 2, fine: 3 };

/**
 * Orders overdrawn quotas first. The others follow by their severity, by their remaining share, the lowest
 * first, and then by the remaining amount. A quota with a limit of 0 comes last.
 */
export function compareUrgency(a: Judgement, b: Judgement): number {
  return (
    Number(isOverdrawn(b.quota)) - Number(isOverdrawn(a.quota)) ||
    ranks[a.severity] - ranks[b.severity] ||
    (a.remainingShare ?? 2) - (b.remainingShare ?? 2) ||
    (a.quota.remaining ?? 0) - (b.quota.remaining ?? 0)
  );
}
