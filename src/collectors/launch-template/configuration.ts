/** The keys of the configuration that say which launch templates are watched. */
import { z } from 'zod';
import { uniqueBy } from '../../validation/unique.ts';

const launchTemplateId = z
  .string()
  .regex(/^lt-[A-Za-z0-9-]{1,60}$/, { error: 'expected a template ID such as lt-b8v1kcyq' });

export const launchTemplateRegionKeys = z.object({
  launch_templates: z
    .array(launchTemplateId)
    .check(uniqueBy('launch template', (id) => id))
    .default([])
    .describe('The launch templates that are watched.'),
});
