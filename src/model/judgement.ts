/** Judges the state of a target and of a quota at one time. `expose/evaluation.ts` calls it for every record. Pure. */
import type { Quota } from './quota.ts';
import type { TargetRecord } from './record.ts';
import type { RemainingThresholds, ThresholdsOfQuota } from './thresholds.ts';

/**
 * `failing` if its last poll failed, `stale` if the last poll succeeded, but too long ago, `incomplete` if its answer
 * lacked something, and `pending` before its first poll.
 */
export type TargetState = 'failing' | 'pending' | 'stale' | 'incomplete' | 'up';

/** @param isFresh whether its last success is not too long ago */
export function targetState(
  { observed: { freshness, snapshot } }: TargetRecord,
  isFresh: boolean,
): TargetState {
  if (freshness.failure !== null) return 'failing';
  if (freshness.lastPoll === null) return 'pending';
  if (!isFresh) return 'stale';
  return snapshot !== null && snapshot.missing.length > 0 ? 'incomplete' : 'up';
}

/** Whether more is in use than allowed. A limit can be lowered below the present use. */
export function isOverdrawn({ used, remaining, limit }: Quota): boolean {
  return (remaining ?? 0) < 0 || (used ?? 0) > limit;
}

/**
 * `low`: less than the warning threshold remains. `unknown`: what remains is unknown. `none`: the limit is 0, so the account
 * does not have the quota.
 */
export type QuotaState = 'overdrawn' | 'critical' | 'low' | 'unknown' | 'fine' | 'muted' | 'none';

/** A quota with its thresholds, its state, and its remaining share. */
export type JudgedQuota = Readonly<ReturnType<typeof judgeQuota>>;

/** Judges the numbers of a quota. Whether they are stale is for the caller to see. */
export function judgeQuota(quota: Quota, thresholdsOf: ThresholdsOfQuota) {
  const { limit, remaining } = quota;
  /** `null` for a muted quota, and for a limit of 0. */
  const thresholds = thresholdsOf(quota);
  return {
    quota,
    thresholds,
    state: quotaState(quota, thresholds),
    /**
     * The share of the limit that remains. At most 1, and negative if the quota is overdrawn. `null` if it is unknown,
     * and for a limit of 0: without a limit there is no share.
     */
    remainingShare: limit === 0 || remaining === null ? null : Math.min(1, remaining / limit),
  };
}

/**
 * An overdrawn quota needs no thresholds: more is in use than allowed. A quota with thresholds is critical when nothing
 * remains, also for a threshold of 0. A muted quota is muted whatever is unknown.
 */
function quotaState(quota: Quota, thresholds: RemainingThresholds | null): QuotaState {
  const { limit, remaining } = quota;
  if (isOverdrawn(quota)) return 'overdrawn';
  if (limit === 0) return 'none';
  if (thresholds === null) return 'muted';
  if (remaining === null) return 'unknown';
  if (remaining <= 0 || remaining < thresholds.critical) return 'critical';
  return remaining < thresholds.warning ? 'low' : 'fine';
}

/** Orders quotas of one state: the lowest remaining share first, then the lowest remaining amount, unknown shares last. */
export function compareRemaining(
  a: Pick<JudgedQuota, 'quota' | 'remainingShare'>,
  b: Pick<JudgedQuota, 'quota' | 'remainingShare'>,
): number {
  // No share is above 1.
  return (
    (a.remainingShare ?? 2) - (b.remainingShare ?? 2) ||
    (a.quota.remaining ?? 0) - (b.quota.remaining ?? 0)
  );
}
