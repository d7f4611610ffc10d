/** The part of a scenario that says what there is at its start. */
import { z } from 'zod';
import { duration } from '../../validated-yaml/duration.ts';
import { operationNames } from '../protocol/operation-names.ts';
import { versionDataSchema } from './version-data.ts';

export const count = z.int().min(0);
export const versionNumber = z.int().min(1);
export const templateId = z
  .string({ error: 'expected a template ID such as lt-b8v1kcyq' })
  .regex(/^lt-[a-z0-9]{8,9}$/, { error: 'expected a template ID such as lt-b8v1kcyq' });
export const regionName = z
  .string({ error: 'expected a region such as ap-guangzhou' })
  .regex(/^[a-z]+(-[a-z]+)+$/, { error: 'expected a region such as ap-guangzhou' });
export const zoneName = z
  .string({ error: 'expected a zone such as ap-guangzhou-3' })
  .regex(/^[a-z]+(-[a-z]+)+-\d+$/, { error: 'expected a zone such as ap-guangzhou-3' });

const quota = z.strictObject({ used: count.default(0), limit: count });

/** The quotas of a zone; a type that is absent has no row for the zone. */
export const zoneQuotas = {
  postpaid: quota.optional(),
  prepaid: quota
    .extend({ once_limit: count.optional() })
    .optional()
    .describe('used is counted by month; once_limit is the most one purchase may take'),
  spotpaid: quota.optional().describe('counts vCPU cores'),
};

/** For answers that are odd: what a row says in place of what it should say. */
export const rowOverrides = {
  omit: z
    .union([
      z.literal('all'),
      z.array(
        z.string().regex(/^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$/, {
          error: 'expected a field such as CreationTime or LaunchTemplateVersionData.DataDisks',
        }),
      ),
    ])
    .default([])
    .describe('fields that are left out of its row in answers; `all` for every field'),
  fields: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('fields of its row in answers, with the values that they are answered with'),
};

/** What a version may be given beside its number. */
export const versionContent = {
  description: z.string().nullable().default(''),
  creation_time: z.iso.datetime().optional().describe('when it is created, when absent'),
  data: versionDataSchema.optional().describe('replaces fields of a complete example'),
  ...rowOverrides,
};

const version = z.strictObject({ version: versionNumber, ...versionContent });

/** A template without its ID. A version may be written as its number alone. */
export const templateContent = {
  name: z.string().default('template'),
  tags: z
    .record(z.string(), z.string())
    .default({})
    .describe('what the filters tag-key, tag-value and tag:KEY of DescribeLaunchTemplates look at'),
  default_version: versionNumber,
  versions: z
    .array(
      z.union([versionNumber, version], {
        error: 'expected a number such as 2, or a map with version',
      }),
    )
    .min(1, { error: 'a template has at least one version' }),
  ...rowOverrides,
};

const state = z
  .enum(['AVAILABLE', 'UNAVAILABLE'])
  .default('AVAILABLE')
  .describe('what DescribeRegions and DescribeZones say');

const region = z.strictObject({
  name: regionName,
  state,
  zones: z.array(z.strictObject({ name: zoneName, state, ...zoneQuotas })).default([]),
  image: quota.optional().describe('custom images of the region'),
  disaster_recover_group: quota
    .extend({
      instances_per_group: z
        .strictObject({ host: count, switch: count, rack: count })
        .default({ host: 50, switch: 20, rack: 30 }),
    })
    .optional()
    .describe('placement groups of the region'),
  launch_templates: z.array(z.strictObject({ id: templateId, ...templateContent })).default([]),
});

const key = z.strictObject({
  secret_id: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, {
    error: 'expected letters, digits, _ and -, since no request can carry another ID',
  }),
  secret_key: z.string().min(1),
  token: z
    .string()
    .regex(/^[\x21-\x7e]+$/, {
      error: 'expected ASCII without spaces, since it goes into a header',
    })
    .optional()
    .describe('makes the key a temporary one'),
  valid_for: duration().optional().describe('how long after the start the token is accepted'),
});

export const accountSchema = z.strictObject({
  name: z.string().min(1),
  app_id: count.default(251007416),
  uin: z.string().default('251009920').describe('the CreatedBy of templates'),
  keys: z.array(key).default([]).describe('an account without keys takes unsigned requests'),
  denied_operations: z
    .array(z.enum(operationNames))
    .default([])
    .describe('answered with UnauthorizedOperation'),
  regions: z.array(region).default([]),
});

export type AccountScenario = z.output<typeof accountSchema>;
export type RegionScenario = z.output<typeof region>;
export type TemplateScenario = RegionScenario['launch_templates'][number];
export type VersionScenario = z.output<typeof version>;
