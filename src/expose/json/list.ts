/** Times and lists in JSON, as all answers of `/api/v1`, the report of `check` and the page write them. */
import { mapWithYields, type Pace } from '../../model/async.ts';

/** ISO 8601 in UTC; `null` for an event that has not happened. */
export function timestamp(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}

/** `"name":[…]`, a member for `jsonAnswer`. */
export async function listJson<T>(
  name: string,
  items: readonly T[],
  jsonOf: (item: T) => unknown,
  pace: Pace,
): Promise<string> {
  const texts = await mapWithYields(items, (item) => JSON.stringify(jsonOf(item)), pace);
  return `${JSON.stringify(name)}:[${texts.join(',')}]`;
}
