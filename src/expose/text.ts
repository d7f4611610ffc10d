/** Numbers, durations and quotas as short English texts, for page, terminal and messages. */
import { isOverdrawn } from '../model/thresholds.ts';
import type { EvaluatedQuota } from './evaluation.ts';

const wholeNumbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Rounded to a whole number, such as `1,250`; `–` for `null`, an unknown number. */
export function numberText(value: number | null): string {
  return value === null ? '–' : wholeNumbers.format(value);
}

/** `1 target`, `2 targets`. The plural defaults to the noun with an `s`. */
export function numberWithNoun(count: number, noun: string, plural = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : plural}`;
}

/** In the largest unit that gives at least 2, such as `5 h`. */
export function durationText(ms: number): string {
  const units = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000 };
  const fits = ([, unitMs]: [string, number]) => Math.round(ms / unitMs) >= 2;
  const [name, unitMs] = Object.entries(units).find(fits) ?? ['s', 1_000];
  return ms < 1_000 ? '<1 s' : `${Math.round(ms / unitMs)} ${name}`;
}

/** At most `max` of the texts, then `and 7 more` if some are left out. */
export function firstTexts(texts: readonly string[], max: number): readonly string[] {
  const more = texts.length - max;
  return more > 0 ? [...texts.slice(0, max), `and ${numberText(more)} more`] : texts;
}

/** The zone, whose name begins with that of its region. For a quota without a zone, the region. */
export function zoneOrRegion({ quota, evaluated }: EvaluatedQuota): string {
  return quota.zone ?? evaluated.record.target.region;
}

/**
 * The remaining share as `12 %`, rounded down, so that a share just below a threshold never looks equal to it. A dash if
 * it is unknown or there is no limit.
 */
export function remainingShareText({ quota, remainingShare }: EvaluatedQuota): string {
  const { limit, remaining } = quota;
  if (remainingShare === null || remaining === null) return '–';
  const value = Math.floor((remaining * 100) / limit);
  return value === 0 && remaining > 0 ? '<1 %' : `${value} %`;
}

/** `4 of 199 vcpus left (2 %)`, or what is known of a quota that is overdrawn or whose use is unknown. */
export function remainingText(evaluated: EvaluatedQuota): string {
  const { limit, remaining, unit, used } = evaluated.quota;
  if (isOverdrawn(evaluated.quota)) {
    return `overdrawn, ${numberText(used)} of ${numberText(limit)} ${unit} in use`;
  }
  if (remaining === null) return `limit ${numberText(limit)} ${unit}, use unknown`;
  const share = remainingShareText(evaluated);
  return `${numberText(remaining)} of ${numberText(limit)} ${unit} left (${share})`;
}
