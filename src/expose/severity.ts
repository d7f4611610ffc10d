/** The words for what is watched, and the severity of quotas, for page, terminal and JSON. Nothing else decides them. */
import type { styleText } from 'node:util';
import type { Quota } from '../model/quota.ts';
import type { RemainingThresholds, ThresholdsOfQuota } from '../model/thresholds.ts';

export type Style = Parameters<typeof styleText>[0];

/** What is unknown comes before a warning, because it may hide a critical quota. */
export const levels = {
  critical: { badge: ['bold', 'white', 'bgRed'], icon: 'd1242f' },
  unknown: { badge: ['bold', 'white', 'bgMagenta'], icon: '7a4fbf' },
  warning: { badge: ['bold', 'black', 'bgYellow'], icon: 'bf7a00' },
  fine: { badge: ['bold', 'black', 'bgGreen'], icon: '4a7fb5' },
} as const satisfies Readonly<Record<string, { readonly badge: Style; readonly icon: string }>>;
export type Level = keyof typeof levels;

type Meaning = Readonly<{ severity: Level | null; sign: string; style: Style }>;

/**
 * The worst first. The severity is `null` where the numbers are not those of the present. The sign is what the cell of
 * a picture shows besides its colour, and the style is for terminals.
 */
export const words = {
  overdrawn: { severity: 'critical', sign: '!!', style: ['bold', 'red'] },
  critical: { severity: 'critical', sign: '!', style: ['bold', 'red'] },
  low: { severity: 'warning', sign: '▾', style: ['bold', 'yellow'] },
  gone: { severity: null, sign: '▾', style: ['bold', 'yellow'] },
  failing: { severity: 'unknown', sign: '?', style: 'magenta' },
  stale: { severity: null, sign: '?', style: 'magenta' },
  incomplete: { severity: 'unknown', sign: '?', style: 'magenta' },
  pending: { severity: 'unknown', sign: '?', style: 'magenta' },
  unknown: { severity: 'unknown', sign: '?', style: 'magenta' },
  fine: { severity: 'fine', sign: '', style: 'green' },
  up: { severity: 'fine', sign: '', style: 'green' },
  muted: { severity: 'fine', sign: '', style: 'dim' },
  none: { severity: 'fine', sign: '', style: 'dim' },
} as const satisfies Readonly<Record<string, Meaning>>;

/**
 * A word for a target, a quota or a launch. A quota is `gone` if it disappeared while it was low, `unknown` if nothing
 * tells what remains, and `none` if its limit is 0, so that the account does not have it. A target is `failing` if its
 * last poll failed, `stale` if the last poll succeeded, but too long ago, `incomplete` if its answer lacked something,
 * and `pending` before its first poll.
 */
export type Word = keyof typeof words;
export type TargetState = Extract<Word, 'up' | 'incomplete' | 'failing' | 'stale' | 'pending'>;

/** What has a word. */
export interface Worded {
  readonly word: Word;
}

export function severityOf({ word }: Worded) {
  return words[word].severity;
}

/** Whether a quota is low, or worse. */
export function isBad(row: Worded): boolean {
  const severity = severityOf(row);
  return severity === 'critical' || severity === 'warning';
}

const order = Object.keys(words);

/** The worse first. */
export function compareWords(a: Worded, b: Worded): number {
  return order.indexOf(a.word) - order.indexOf(b.word);
}

/** Whether more is in use than allowed. A limit can be lowered below the present use. */
export function isOverdrawn({ used, remaining, limit }: Quota): boolean {
  return (remaining ?? 0) < 0 || (used ?? 0) > limit;
}

/** A quota, and what its thresholds make of it. */
export type Judgement = Readonly<ReturnType<typeof judgementOf>>;

/** Judges numbers of the present. */
export function judgementOf(quota: Quota, thresholdsOf: ThresholdsOfQuota) {
  const { limit, remaining } = quota;
  /** `null` for a muted quota, and for a limit of 0. */
  const thresholds = thresholdsOf(quota);
  return {
    quota,
    thresholds,
    word: wordOf(quota, thresholds),
    /**
     * The share of the limit that remains. At most 1, and negative if the quota is overdrawn. `null` if it is unknown,
     * and for a limit of 0: without a limit there is no share.
     */
    remainingShare: limit === 0 || remaining === null ? null : Math.min(1, remaining / limit),
  };
}

/**
 * An overdrawn quota needs no thresholds: more is in use than allowed. A quota with thresholds is critical when nothing
 * remains, also for a threshold of 0. One that is muted is so whatever is unknown.
 */
function wordOf(quota: Quota, thresholds: RemainingThresholds | null): Word {
  const { limit, remaining } = quota;
  if (isOverdrawn(quota)) return 'overdrawn';
  if (limit === 0) return 'none';
  if (thresholds === null) return 'muted';
  if (remaining === null) return 'unknown';
  if (remaining <= 0 || remaining < thresholds.critical) return 'critical';
  return remaining < thresholds.warning ? 'low' : 'fine';
}

/** Orders quotas of one word: by their remaining share, the lowest first, then by the remaining amount. */
export function compareShares(a: Judgement, b: Judgement): number {
  return (
    (a.remainingShare ?? 2) - (b.remainingShare ?? 2) ||
    (a.quota.remaining ?? 0) - (b.quota.remaining ?? 0)
  );
}
