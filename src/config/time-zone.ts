/** The local time of a time zone: its offset from UTC, and its clock changes. */

const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The change of a zone's offset around a day. Equal offsets when there is no change. */
export interface ClockChange {
  /** The first instant with the new offset; `Infinity` when there is no change. */
  readonly atMs: number;
  readonly oldOffsetMs: number;
  readonly newOffsetMs: number;
}

/** How far the local time of a zone is ahead of UTC at an instant. Both are in milliseconds. */
export type OffsetAt = (instantMs: number) => number;

/** @throws RangeError when the runtime does not know the zone */
export function zoneOffsets(timezone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    timeZoneName: 'longOffset',
  });
  return (instantMs) => {
    // "11/15/2023, GMT+10:30"; a bare "GMT" is UTC itself.
    const match = /GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(format.format(instantMs));
    if (match === null) return 0;
    const [, sign, hours, minutes, seconds = '0'] = match;
    const size = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
    return (sign === '-' ? -size : size) * 1_000;
  };
}

/**
 * The clock change around a local day. No zone changes its clock twice within the two days that are
 * searched.
 *
 * @param dayStart local midnight of the day, written as if it were UTC
 */
export function clockChangeAround(dayStart: number, offsetAt: OffsetAt): ClockChange {
  // The widest offsets that exist: 14 hours ahead of UTC, and 12 hours behind.
  let low = dayStart - 14 * hourMs;
  let high = dayStart + 36 * hourMs;
  const oldOffsetMs = offsetAt(low);
  const newOffsetMs = offsetAt(high);
  if (oldOffsetMs === newOffsetMs) return { atMs: Infinity, oldOffsetMs, newOffsetMs };
  while (high - low > 1_000) {
    const middle = low + Math.floor((high - low) / 2_000) * 1_000;
    if (offsetAt(middle) === oldOffsetMs) low = middle;
    else high = middle;
  }
  return { atMs: high, oldOffsetMs, newOffsetMs };
}

/**
 * The end of a local day, excluded: the first instant of the next day. If the clock goes back at midnight, the
 * day ends at the second midnight.
 *
 * @param date such as `2026-12-31`
 * @returns milliseconds since the Unix epoch
 */
export function endOfDayMs(date: string, timezone: string): number {
  const nextDay = Date.parse(date) + dayMs;
  const { atMs, oldOffsetMs, newOffsetMs } = clockChangeAround(nextDay, zoneOffsets(timezone));
  const byOldOffset = nextDay - oldOffsetMs;
  // After the change, the instant by the new offset. If a gap skips midnight, the day begins with the change.
  return byOldOffset < atMs ? byOldOffset : Math.max(atMs, nextDay - newOffsetMs);
}

/** The local date of an instant, such as `2026-12-31`. */
export function localDate(instantMs: number, timezone: string): string {
  return new Date(instantMs + zoneOffsets(timezone)(instantMs)).toISOString().slice(0, 10);
}
