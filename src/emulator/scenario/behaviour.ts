/**
 * Settings for behaviour that the service does not publish. A scenario can select another behaviour, so that
 * a client can be tested with every plausible service (docs/service.md, sections 5, 6 and 14).
 */
import { z } from 'zod';
import { inCode } from '../input/words.ts';

export const behaviourSchema = inCode(
  z.strictObject({
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
  }),
).meta({ id: 'BehaviourInput', description: 'Behaviour that the service does not publish.' });

export type Behaviour = z.output<typeof behaviourSchema>;
