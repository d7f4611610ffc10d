/** What the lists of `/api/v1` share. */
import { mapWithYields } from '../../model/yielding.ts';

/** A time of the JSON API: ISO 8601 in UTC, `null` for an event that has not happened. */
export function timestamp(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}

/** A list under its name, as members of a JSON object, made in many turns of the event loop. */
export async function listJson<T>(
  name: string,
  items: readonly T[],
  jsonOf: (item: T) => unknown,
): Promise<string> {
  const texts = await mapWithYields(items, (item) => JSON.stringify(jsonOf(item)));
  return `${JSON.stringify(name)}:[${texts.join(',')}]`;
}
