/** Durations such as `1h30m`, as a person writes them in a configuration, a scenario or a flag. */
import { z } from 'zod';

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
export const durationPattern =
  /^(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;

/**
 * Reads a duration such as `30s`, `5m` or `1h30m`: whole numbers with the units d, h, m, s and ms. Each unit
 * occurs at most once, the largest first.
 *
 * @returns milliseconds, or `null` when the text is not a duration
 */
export function parseDurationMs(text: string): number | null {
  const match = durationPattern.exec(text);
  if (match === null) return null;
  const factors = Object.values(unitMs);
  return factors.reduce((sum, factor, i) => sum + Number(match[i + 1] ?? 0) * factor, 0);
}

/**
 * A schema for a duration in a file. Its value is in milliseconds.
 *
 * @param range inclusive bounds, as durations
 */
export function duration(range: { min?: string; max?: string } = {}) {
  const minMs = range.min === undefined ? 0 : (parseDurationMs(range.min) ?? 0);
  const maxMs = parseDurationMs(range.max ?? '365d') ?? Infinity;
  return z
    .string({ error: 'expected a duration such as 700ms or 30s' })
    .regex(durationPattern, { error: 'expected a duration such as 30s, 5m or 1h' })
    .transform((text) => parseDurationMs(text) ?? 0)
    .refine((ms) => ms >= minMs, { error: `must be at least ${range.min ?? '0s'}` })
    .refine((ms) => ms <= maxMs, { error: `must be at most ${range.max ?? '365d'}` });
}
