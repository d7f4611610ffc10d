import { z } from 'zod';
import { durationPattern, parseDurationMs } from './parse-duration.ts';

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
