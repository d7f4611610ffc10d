/** The form of a stored record of a launch template. */
import { z } from 'zod';
import {
  count,
  inventoryFields,
  countedFields,
  seenOf,
  snapshotFields,
  target,
  text,
  timeMs,
} from '../stored-fields.ts';
import type { LaunchTemplateRecord } from './record.ts';
import { launchTemplateOperation } from './target.ts';

export const listedTemplate = z.object({
  name: text,
  defaultVersion: count.nullable(),
  latestVersion: count.nullable(),
  versions: count.nullable(),
});

export const storedLaunchTemplateRecord: z.ZodType<LaunchTemplateRecord> = z.object({
  kind: z.literal('launch-template'),
  target: target.extend({
    operation: z.literal(launchTemplateOperation),
    resource: z.object({ template_id: text }),
    listed: listedTemplate.nullish(),
  }),
  counted: z.object({
    ...countedFields,
    inventory: z.object(inventoryFields(count)).nullable(),
    lastDefaultVersion: count.nullable(),
    defaultVersionChanges: count,
    defaultVersionChangedAtMs: timeMs.nullable(),
    versionsCreated: count,
    versionsDeleted: count,
    readAs: listedTemplate.nullable(),
  }),
  seen: seenOf(
    z.object({
      kind: z.literal('launch-template'),
      ...snapshotFields,
      versions: z.array(count),
      unidentified: count,
      defaultVersion: z
        .object({ version: count, imageId: text, instanceType: text, chargeType: text })
        .nullable(),
    }),
  ),
});
