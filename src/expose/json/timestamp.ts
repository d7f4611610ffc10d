/** A time of the JSON API: ISO 8601 in UTC, `null` for an event that has not happened. */
export function timestamp(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}
