/** The severity of quotas, their words and their order, for page, terminal and JSON. Nothing else decides it. */
import type { Quota } from '../model/quota.ts';
import type { RemainingThresholds, ThresholdsOfQuota } from '../model/thresholds.ts';

/** `unknown`: nothing tells what remains. */
export type Severity = 'critical' | 'warning' | 'fine' | 'unknown';

/** A quota, and what its thresholds make of it. */
export interface Judgement {
  readonly quota: Quota;
  /** `null` for a muted quota, and for a limit of 0. */
  readonly thresholds: RemainingThresholds | null;
  readonly severity: Severity;
  /**
   * The share of the limit that remains. At most 1, and negative if the quota is overdrawn. `null` if it is unknown,
   * and for a limit of 0: without a limit there is no share.
   */
  readonly remainingShare: number | null;
}

/** Whether more is in use than allowed. A limit can be lowered below the present use. */
export function isOverdrawn({ used, remaining, limit }: Quota): boolean {
  return (remaining ?? 0) < 0 || (used ?? 0) > limit;
}

/** Whether the quota is fine only because the configuration mutes it. */
export function isMuted({ quota, severity, thresholds }: Judgement): boolean {
  return severity === 'fine' && thresholds === null && quota.limit > 0;
}

export function judgementOf(quota: Quota, thresholdsOf: ThresholdsOfQuota): Judgement {
  const { limit, remaining } = quota;
  const thresholds = thresholdsOf(quota);
  return {
    quota,
    thresholds,
    severity: severityOf(quota, thresholds),
    remainingShare: limit === 0 || remaining === null ? null : Math.min(1, remaining / limit),
  };
}

/**
 * An overdrawn quota is critical without thresholds too: more is in use than allowed. A quota with thresholds
 * is critical when nothing remains, also for a threshold of 0. One that is muted is fine, whatever is unknown.
 */
function severityOf(quota: Quota, thresholds: RemainingThresholds | null): Severity {
  const { remaining } = quota;
  if (isOverdrawn(quota)) return 'critical';
  if (thresholds === null) return 'fine';
  if (remaining === null) return 'unknown';
  if (remaining <= 0 || remaining < thresholds.critical) return 'critical';
  return remaining < thresholds.warning ? 'warning' : 'fine';
}

/**
 * The words for a quota, the worst first. `gone`: it disappeared while it was low. `none`: its limit is 0, so the
 * account does not have it.
 */
export const quotaWords = [
  'overdrawn',
  'critical',
  'low',
  'gone',
  'stale',
  'unknown',
  'fine',
  'muted',
  'none',
] as const;
export type QuotaWord = (typeof quotaWords)[number];

/** @param isFresh `false` when the numbers are too old to be those of the present */
export function wordOf(judged: Judgement, isFresh = true): QuotaWord {
  if (!isFresh) return 'stale';
  if (isOverdrawn(judged.quota)) return 'overdrawn';
  if (judged.quota.limit === 0) return 'none';
  if (isMuted(judged)) return 'muted';
  return judged.severity === 'warning' ? 'low' : judged.severity;
}

const badWords: ReadonlySet<QuotaWord> = new Set(['overdrawn', 'critical', 'low']);

/** Whether a quota is low, or worse. */
export function isBad({ word }: { readonly word: QuotaWord }): boolean {
  return badWords.has(word);
}

const ranks = new Map(quotaWords.map((word, i) => [word, i]));

/** Orders by two words, the worse first. */
export function compareWords(a: QuotaWord, b: QuotaWord): number {
  return (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0);
}

/** Orders quotas of one word: by their remaining share, the lowest first, then by the remaining amount. */
export function compareShares(a: Judgement, b: Judgement): number {
  return (
    (a.remainingShare ?? 2) - (b.remainingShare ?? 2) ||
    (a.quota.remaining ?? 0) - (b.quota.remaining ?? 0)
  );
}

/** The used part of a quota from 0 to 1, for a bar. `null` if it is unknown. */
export function usedPart({ quota, remainingShare }: Judgement): number | null {
  if (isOverdrawn(quota)) return 1;
  return remainingShare === null ? null : 1 - remainingShare;
}
