/**
 * Where the service's behaviour is not published, what the emulator does, and what it can be told to do
 * instead, so that a client can be tested against every plausible service (service-facts.md, sections 1,
 * 5 and 6).
 */
import { z } from 'zod';

export const behaviourSchema = z.strictObject({
  unselected_quota_sets: z
    .enum(['empty', 'absent', 'null'])
    .default('empty')
    .describe('what a quota-type filter leaves of the sets it does not name'),
  zone_filter_keeps_regional_sets: z
    .boolean()
    .default(true)
    .describe('whether ImageQuotaSet and DisasterRecoverGroupQuotaSet survive a zone filter'),
  version_order: z
    .enum(['newest-first', 'oldest-first'])
    .default('newest-first')
    .describe('how LaunchTemplateVersionSet is sorted'),
  version_range: z
    .enum(['inclusive', 'exclusive'])
    .default('inclusive')
    .describe('whether MinVersion and MaxVersion themselves belong to the range'),
  total_count: z
    .enum(['selected', 'all'])
    .default('selected')
    .describe('whether TotalCount counts the versions selected or all of the template'),
  version_list: z
    .enum(['combinable', 'exclusive'])
    .default('combinable')
    .describe('exclusive: LaunchTemplateVersions.N goes with no range and no paging'),
});

export type Behaviour = z.output<typeof behaviourSchema>;
