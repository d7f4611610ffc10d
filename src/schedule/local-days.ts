/**
 * Time zones and their local days, for the configuration: its schema checks the time zone, `until` of thresholds ends
 * with a local day, and `check-config` shows it as a date.
 */
import { createOffsetAt, dayMs, nextOffsetChange } from './run-times.ts';

/** Whether the runtime knows a time zone of this name. */
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
  // The day in UTC begins before the local day ends, in every zone: none is more than 14 hours ahead of UTC.
  const startUtcMs = Date.parse(date);
  const endUtcMs = startUtcMs + dayMs;
  const endMs = endUtcMs - offsetAt(startUtcMs);
  // The offset may change before the end of the local day.
  const changeMs = nextOffsetChange(startUtcMs, endMs, offsetAt);
  return changeMs === null ? endMs : Math.max(changeMs, endUtcMs - offsetAt(changeMs));
}
