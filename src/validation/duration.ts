/** Durations such as `1h30m`, as a person writes them in a configuration, a scenario or a flag. */
import { z } from 'zod';

/** The milliseconds of d, h, m, s and ms: the units of {@link durationPattern}, in the same order. */
const unitsMs = [86_400_000, 3_600_000, 60_000, 1_000, 1];
/** Such as `30s`, `5m` or `1h30m`: whole numbers with their units. Each unit occurs at most once, the largest first. */
export const durationPattern =
  /^(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** The milliseconds of a duration that a schema has accepted. `-6m` is negative; a text that is no duration gives 0. */
export function msOf(text: string): number {
  if (text.startsWith('-')) return -msOf(text.slice(1));
  const [, ...numbers] = durationPattern.exec(text) ?? [];
  return unitsMs.reduce((sum, unitMs, i) => sum + Number(numbers[i] ?? 0) * unitMs, 0);
}

/** A schema for a duration such as `30s` that stays a text. The bounds are inclusive. {@link msOf} converts it. */
export function durationText({ min = '0s', max = '365d' } = {}) {
  return z
    .string({ error: 'expected a duration such as 700ms or 30s' })
    .regex(durationPattern, { error: 'expected a duration such as 30s, 5m or 1h' })
    .refine((text) => msOf(text) >= msOf(min), { error: `must be at least ${min}`, when: isValid })
    .refine((text) => msOf(text) <= msOf(max), { error: `must be at most ${max}`, when: isValid });
}

/** True if no check of the text has failed so far. In place of `abort`, with which no check of the whole file would run. */
function isValid({ issues }: { readonly issues: readonly unknown[] }): boolean {
  return issues.length === 0;
}

/** A schema for a duration whose value is in milliseconds. The bounds are inclusive. */
export function duration(bounds: { readonly min?: string; readonly max?: string }) {
  return durationText(bounds).transform(msOf);
}
