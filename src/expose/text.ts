/** Durations, lists and quotas as short texts, for page, terminal, verdict, log lines and messages. */
import { isOverdrawn } from '../model/thresholds.ts';
import type { Texts } from '../model/texts/texts.ts';
import type { EvaluatedQuota } from './evaluation.ts';

/** A duration as a whole number of the largest unit that gives at least 2, such as `5 h`; `<1 s` below one second. */
export function roundedDuration(ms: number, { say }: Texts): string {
  const units = [
    ['{count} d', 86_400_000],
    ['{count} h', 3_600_000],
    ['{count} min', 60_000],
    ['{count} s', 1_000],
  ] as const;
  const [text, unitMs] = units.find((unit) => Math.round(ms / unit[1]) >= 2) ?? units[3];
  return ms < 1_000 ? say('<1 s') : say(text, { count: ms / unitMs });
}

/** At most `max` of the texts, then `and 7 more` if some are left out. */
export function firstTexts(texts: readonly string[], max: number, { say }: Texts) {
  const count = texts.length - max;
  return count > 0 ? [...texts.slice(0, max), say('and {count} more', { count })] : texts;
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
export function remainingText(evaluated: EvaluatedQuota, { say, word }: Texts): string {
  const { limit, remaining, used } = evaluated.quota;
  const unit = word(evaluated.quota.unit);
  if (isOverdrawn(evaluated.quota)) {
    return say('overdrawn, {used} of {limit} {unit} in use', { used, limit, unit });
  }
  if (remaining === null) return say('limit {limit} {unit}, use unknown', { limit, unit });
  const share = remainingShareText(evaluated);
  return say('{remaining} of {limit} {unit} left ({share})', { remaining, limit, unit, share });
}
