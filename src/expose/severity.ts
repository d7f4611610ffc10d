/** The severity of quotas, their words and their order, for page, terminal and JSON. Nothing else decides it. */
import type { Quota } from '../model/quota.ts';
import type { RemainingThresholds, ThresholdsOfQuota } from '../model/thresholds.ts';

/**
 * The words for a quota with their severity, the worst first. `gone`: it disappeared while it was low. `unknown`: nothing
 * tells what remains. `none`: its limit is 0, so the account does not have it. The severity is `null` where the numbers
 * are not those of the present.
 */
const severities = {
  overdrawn: 'critical',
  critical: 'critical',
  low: 'warning',
  gone: null,
  stale: null,
  unknown: 'unknown',
  fine: 'fine',
  muted: 'fine',
  none: 'fine',
} as const;
export type QuotaWord = keyof typeof severities;

const words = Object.keys(severities);

/** A quota, and what its thresholds make of it. */
export interface Judgement {
  readonly quota: Quota;
  /** `null` for a muted quota, and for a limit of 0. */
  readonly thresholds: RemainingThresholds | null;
  readonly word: QuotaWord;
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

/** Judges numbers of the present. */
export function judgementOf(quota: Quota, thresholdsOf: ThresholdsOfQuota): Judgement {
  const { limit, remaining } = quota;
  const thresholds = thresholdsOf(quota);
  return {
    quota,
    thresholds,
    word: wordOf(quota, thresholds),
    remainingShare: limit === 0 || remaining === null ? null : Math.min(1, remaining / limit),
  };
}

/**
 * An overdrawn quota needs no thresholds: more is in use than allowed. A quota with thresholds is critical when nothing
 * remains, also for a threshold of 0. One that is muted is so whatever is unknown.
 */
function wordOf(quota: Quota, thresholds: RemainingThresholds | null): QuotaWord {
  const { limit, remaining } = quota;
  if (isOverdrawn(quota)) return 'overdrawn';
  if (limit === 0) return 'none';
  if (thresholds === null) return 'muted';
  if (remaining === null) return 'unknown';
  if (remaining <= 0 || remaining < thresholds.critical) return 'critical';
  return remaining < thresholds.warning ? 'low' : 'fine';
}

/** What has a word: a quota, or a launch. */
type Worded = Pick<Judgement, 'word'>;

export function severityOf({ word }: Worded) {
  return severities[word];
}

/** Whether a quota is low, or worse. */
export function isBad(row: Worded): boolean {
  const severity = severityOf(row);
  return severity === 'critical' || severity === 'warning';
}

/** The worse first. */
export function compareWords(a: Worded, b: Worded): number {
  return words.indexOf(a.word) - words.indexOf(b.word);
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
