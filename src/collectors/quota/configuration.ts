/** The keys of the configuration that say which quotas are watched. */
import { z } from 'zod';
import { uniqueBy } from '../../validation/unique.ts';
import type { RegionProblem } from '../collector.ts';
import { zoneName } from '../place-names.ts';
import { quotaTypes } from './target.ts';

export const quotaAccountKeys = z.object({
  quota_types: z
    .array(z.enum(quotaTypes))
    .check(uniqueBy('quota type', (type) => type))
    .default([...quotaTypes])
    .describe('The quota types that are watched. Default: all. An empty list means none.'),
});

export const quotaRegionKeys = z.object({
  zones: z
    .array(zoneName)
    .min(1, { error: 'name at least one zone, or omit the key for all zones' })
    .check(uniqueBy('zone', (zone) => zone))
    .optional()
    .describe('The zones that are watched. Default: all.'),
});

/** Refuses a zone that cannot belong to its region: no answer would ever hold it. */
export function zoneProblems(
  name: string,
  { zones = [] }: z.output<typeof quotaRegionKeys>,
): readonly RegionProblem[] {
  return zones.flatMap((zone, i) =>
    zone.startsWith(`${name}-`)
      ? []
      : [
          {
            path: ['zones', i],
            message: `is not a zone of ${name}; its zones begin with ${name}-`,
          },
        ],
  );
}
