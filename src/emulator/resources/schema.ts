/** The schema of the initial state in a scenario. */
import { z } from 'zod';
import { duration } from '../../validation/duration.ts';
import { policySchema, trustSchema } from '../access/policy.ts';
import { operationName } from '../protocol/operation-names.ts';
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

export const quota = z.strictObject({
  used: count.default(0).describe('how much is used'),
  limit: count.describe('how much may be used'),
});

/** The quotas of a zone. A missing type has no row for the zone. */
export const zoneQuotas = {
  postpaid: quota.optional().describe('instances that are paid by the hour'),
  prepaid: quota
    .extend({
      once_limit: count
        .optional()
        .describe('the most that one purchase may take; the limit when absent'),
    })
    .optional()
    .describe('instances that are paid by the month; used is counted by month'),
  spotpaid: quota.optional().describe('counts vCPU cores'),
};

/** For unusual answers: changes to the row of an object. */
const rowOverrides = {
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

/** The fields of a version besides its number. */
export const versionContent = {
  description: z.string().nullable().default('').describe('LaunchTemplateVersionDescription'),
  creation_time: z.iso.datetime().optional().describe('when it is created, when absent'),
  data: versionDataSchema.optional().describe('replaces fields of a complete example'),
  ...rowOverrides,
};

const version = z.strictObject({
  version: versionNumber.describe('its number'),
  ...versionContent,
});

/** A template without its ID. A version may be only its number. */
export const templateContent = {
  name: z.string().default('template').describe('LaunchTemplateName'),
  tags: z
    .record(z.string(), z.string())
    .default({})
    .describe('what the filters tag-key, tag-value and tag:KEY of DescribeLaunchTemplates look at'),
  default_version: versionNumber.describe('the number of the default version'),
  versions: z
    .array(
      z.union([versionNumber, version], {
        error: 'expected a number such as 2, or a map with version',
      }),
    )
    .min(1, { error: 'a template has at least one version' })
    .describe('a version is its number alone, or a map'),
  ...rowOverrides,
};

const state = z
  .enum(['AVAILABLE', 'UNAVAILABLE'])
  .default('AVAILABLE')
  .describe('what DescribeRegions and DescribeZones say');

const region = z.strictObject({
  name: regionName.describe('such as ap-guangzhou'),
  state,
  zones: z
    .array(
      z.strictObject({ name: zoneName.describe('such as ap-guangzhou-3'), state, ...zoneQuotas }),
    )
    .default([])
    .describe('the zones of the region, with their quotas'),
  image: quota.optional().describe('custom images of the region'),
  disaster_recover_group: quota
    .extend({
      instances_per_group: z
        .strictObject({
          host: count.describe('CvmInHostGroupQuota'),
          switch: count.describe('CvmInSwitchGroupQuota'),
          rack: count.describe('CvmInRackGroupQuota'),
        })
        .default({ host: 50, switch: 20, rack: 30 })
        .describe('the most instances of one group, by the level that it spreads over'),
    })
    .optional()
    .describe('placement groups of the region'),
  launch_templates: z
    .array(z.strictObject({ id: templateId.describe('such as lt-b8v1kcyq'), ...templateContent }))
    .default([])
    .describe('the launch templates of the region'),
});

const policy = policySchema.optional().describe('what it may do; everything when absent');

const key = z.strictObject({
  secret_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/, {
      error: 'expected letters, digits, _ and -, since no request can carry another ID',
    })
    .describe('letters, digits, _ and -; of one account only'),
  secret_key: z.string().min(1).describe('what requests are signed with'),
  token: z
    .string()
    .regex(/^[\x21-\x7e]+$/, {
      error: 'expected ASCII without spaces, since it goes into a header',
    })
    .optional()
    .describe('makes the key a temporary one'),
  valid_for: duration().optional().describe('how long after the start the token is accepted'),
  policy,
});

const role = z.strictObject({
  name: z
    .string()
    .regex(/^[\w+=,.@-]{1,128}$/, { error: 'expected letters, digits and + = , . @ _ -' })
    .describe('the NAME of qcs::cam::uin/UIN:roleName/NAME'),
  id: z
    .string()
    .regex(/^\d{1,20}$/, { error: 'expected digits' })
    .default('4611686018427397919')
    .describe('the ID of qcs::cam::uin/UIN:role/ID'),
  policy,
  trust: trustSchema.optional().describe('who may assume it; every caller when absent'),
  max_session: duration({ max: '12h' })
    .prefault('12h')
    .describe('the longest duration of a session'),
});

const oidcProvider = z.strictObject({
  id: z.string().min(1).describe('the ProviderId, such as the ID of a cluster'),
  issuer: z.string().default('https://oidc.example').describe('the condition oidc:iss'),
  audience: z.string().default('sts.cloud.tencent.com').describe('the condition oidc:aud'),
  tokens: z
    .array(
      z.strictObject({
        token: z.string().min(1).describe('a WebIdentityToken; compared as a text'),
        valid_for: duration()
          .optional()
          .describe('how long after the start it is accepted; without end when absent'),
      }),
    )
    .default([])
    .describe('the tokens of the provider'),
});

export const accountSchema = z.strictObject({
  name: z.string().min(1).describe('what actions and faults call it'),
  app_id: count.default(251007416).describe('the AppId of answers'),
  uin: z.string().default('251009920').describe('the CreatedBy of templates'),
  keys: z
    .array(key)
    .default([])
    .describe('an account without keys and roles takes unsigned requests'),
  roles: z.array(role).default([]).describe('what AssumeRole and the metadata service give'),
  oidc_providers: z
    .array(oidcProvider)
    .default([])
    .describe('whose tokens AssumeRoleWithWebIdentity accepts'),
  denied_operations: z
    .array(operationName)
    .default([])
    .describe('answered with UnauthorizedOperation'),
  regions: z
    .array(region)
    .default([])
    .describe('the regions that answer; others are UnsupportedRegion'),
});

export type AccountScenario = z.output<typeof accountSchema>;
export type RegionScenario = z.output<typeof region>;
export type TemplateScenario = RegionScenario['launch_templates'][number];
export type VersionScenario = z.output<typeof version>;
