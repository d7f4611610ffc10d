/**
 * What the schemas of the state share. Each thing has one schema: its input is a part of a scenario, and its
 * output is the thing in the state.
 */
import { z } from 'zod';

export const count = z.int().min(0);
export const versionNumber = z.int().min(1);
export const templateIdPattern = /^lt-[a-z0-9]{8,9}$/;
export const templateId = z
  .string({ error: 'expected a template ID such as lt-b8v1kcyq' })
  .regex(templateIdPattern, { error: 'expected a template ID such as lt-b8v1kcyq' });
export const regionName = z
  .string({ error: 'expected a region such as ap-guangzhou' })
  .regex(/^[a-z]+(-[a-z]+)+$/, { error: 'expected a region such as ap-guangzhou' });
export const zoneName = z
  .string({ error: 'expected a zone such as ap-guangzhou-3' })
  .regex(/^[a-z]+(-[a-z]+)+-\d+$/, { error: 'expected a zone such as ap-guangzhou-3' });

export const placeState = z
  .enum(['AVAILABLE', 'UNAVAILABLE'])
  .default('AVAILABLE')
  .describe('what DescribeRegions and DescribeZones say');
export type PlaceState = z.output<typeof placeState>;

/** Makes a map of a list. Two elements of one key are a mistake. */
export function keyedBy<T, K extends string | number>(keyOf: (element: T) => K) {
  return (elements: readonly T[], context: z.RefinementCtx): Map<K, T> => {
    const map = new Map<K, T>();
    for (const [index, element] of elements.entries()) {
      const key = keyOf(element);
      if (map.has(key)) mistake(context, [index], `${key} appears twice`);
      map.set(key, element);
    }
    return map;
  };
}

export function mistake(
  context: z.RefinementCtx,
  path: readonly (string | number)[],
  message: string,
): void {
  context.addIssue({ code: 'custom', path: [...path], message });
}
