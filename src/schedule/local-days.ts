/**
 * Time zones and their local days, for the configuration: `until` of thresholds ends with a local day, and `check-config`
 * shows it as a date.
 */
import { createOffsetAt, dayMs, nextOffsetChange } from './run-times.ts';

/** Whether the runtime has the data of a time zone. */
export function isKnownTimezone(name: string): boolean {
  try {
    createOffsetAt(name);
    return true;
  } catch {
    return false;
  }
}

/** The local date of an instant, such as `2026-12-31`. */
export function localDate(instantMs: number, timezone: string): string {
  return new Date(instantMs + createOffsetAt(timezone)(instantMs)).toISOString().slice(0, 10);
}

/**
 * The end of a local day, excluded: the first instant of the next day. If a gap skips midnight, the next day begins
 * after the gap.
 *
 * @param date such as `2026-12-31`
 * @returns milliseconds since the Unix epoch
 */
export function endOfDayMs(date: string, timezone: string): number {
  const offsetAt = createOffsetAt(timezone);
  // This instant is before the midnight in every zone: none is more than 14 hours ahead of UTC.
  const beforeMs = Date.parse(date);
  const midnight = beforeMs + dayMs;
  const endMs = midnight - offsetAt(beforeMs);
  const changeMs = nextOffsetChange(beforeMs, endMs, offsetAt);
  return changeMs === null ? endMs : Math.max(changeMs, midnight - offsetAt(changeMs));
}
