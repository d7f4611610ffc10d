/** The form of a stored record of the launch templates of a region. */
import { z } from 'zod';
import { launchTemplateId } from '../launch-template/configuration.ts';
import { listedTemplate } from '../launch-template/stored.ts';
import {
  count,
  inventoryFields,
  countedFields,
  seenOf,
  snapshotFields,
  target,
  text,
} from '../stored-fields.ts';
import type { LaunchTemplateListRecord } from './record.ts';
import { launchTemplateListOperation } from './target.ts';

export const storedLaunchTemplateListRecord: z.ZodType<LaunchTemplateListRecord> = z.object({
  kind: z.literal('launch-template-list'),
  target: target.extend({
    operation: z.literal(launchTemplateListOperation),
    selection: z.object({ names: z.array(text).nullable(), tags: z.record(text, text) }),
    maxWatched: count,
  }),
  counted: z.object({
    ...countedFields,
    inventory: z.object(inventoryFields(launchTemplateId)).nullable(),
    watched: z.array(launchTemplateId),
    templatesCreated: count,
    templatesDeleted: count,
  }),
  seen: seenOf(
    z.object({
      kind: z.literal('launch-template-list'),
      ...snapshotFields,
      templates: z.array(listedTemplate.extend({ id: launchTemplateId })),
      unidentified: count,
    }),
  ),
});
