import { z } from 'zod';

const unitMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};
const whole = /^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/;
const part = /(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g;

/**
 * A schema for a duration as Go writes it, such as `1.5s` or `1m30s`, or the number 0. Its value is in
 * milliseconds. Go would read another number as nanoseconds; a unit must say what is meant.
 */
export const goDuration = z
  .union([z.string(), z.number()])
  .refine((value) => value === 0 || whole.test(String(value)), {
    error: 'expected a duration such as 500ms, 1s or 1m30s',
  })
  .transform((value) =>
    [...String(value).matchAll(part)].reduce(
      (sum, [, amount, unit = '']) => sum + Number(amount) * (unitMs[unit] ?? 0),
      0,
    ),
  );
