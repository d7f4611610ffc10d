/** The local time of a time zone: its offset from UTC, its clock changes, and its days. */

export const dayMs = 86_400_000;

/** How far the local time of a zone is ahead of UTC at an instant. Both are in milliseconds. */
type OffsetAt = (instantMs: number) => number;

/**
 * The offsets of a time zone.
 *
 * @throws RangeError when the runtime does not know the zone
 */
export function createOffsetAt(timeZone: string): OffsetAt {
  // Swedish dates and times are those of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (instantMs) => {
    const secondMs = Math.floor(instantMs / 1_000) * 1_000;
    return Date.parse(`${format.format(secondMs).replace(' ', 'T')}Z`) - secondMs;
  };
}

/**
 * The first instant with another offset than at `fromMs`, up to `untilMs`. `null` if there is none. No zone changes its
 * clock twice within two days.
 */
export function nextOffsetChange(
  fromMs: number,
  untilMs: number,
  offsetAt: OffsetAt,
): number | null {
  const offset = offsetAt(fromMs);
  if (offsetAt(untilMs) === offset) return null;
  let [low, high] = [fromMs, untilMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}

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
