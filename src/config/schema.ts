/** The schema of the configuration file; docs/configuration.md explains it. */
import { z } from 'zod';
import { quotaTypes } from '../model/target.ts';
import { duration } from '../validated-yaml/duration.ts';
import { cronProblem, isTimezone } from './cron.ts';
import { credentialsSchema } from './credentials-schema.ts';
import { uniqueBy } from './unique.ts';

const schedule = z.string().superRefine((expression, context) => {
  const problem = cronProblem(expression);
  if (problem !== null) {
    const message = `${problem}; expected 5 or 6 cron fields such as "*/5 * * * *"`;
    context.addIssue({ code: 'custom', message });
  }
});

const pollSchema = z.strictObject({
  schedule: schedule
    .default('*/5 * * * *')
    .describe('When a cycle begins: a cron expression of 5 or 6 fields.'),
  timezone: z
    .string()
    .refine(isTimezone, { error: 'unknown time zone; expected a name such as Etc/UTC' })
    .default('Etc/UTC')
    .describe('The time zone that the schedule is read in.'),
  jitter: duration().prefault('0s').describe('A random delay before each cycle, at most this.'),
  stale_after: duration({ min: '1s' })
    .prefault('15m')
    .describe("A target's gauges vanish this long after its last success."),
});

const endpoint = z
  .string()
  .regex(/^https?:\/\/(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.{}-]+)(:\d{1,5})?\/?$/, {
    error: 'expected http:// or https://, a host and nothing behind it; {region} may stand in it',
  })
  .refine((text) => URL.canParse(text.replaceAll('{region}', 'region')), {
    error: 'not a valid URL; of braces only {region} is known',
  })
  .transform((text) => text.replace(/\/$/, ''));

const apiSchema = z.strictObject({
  endpoint: endpoint
    .prefault('https://cvm.tencentcloudapi.com')
    .describe("The service's base URL; {region} in it is replaced by each region's name."),
  signature: z
    .enum(['hmac-sha256', 'hmac-sha1', 'tc3'])
    .default('hmac-sha256')
    .describe('How requests are signed: in the query string (hmac-*) or in headers (tc3).'),
  requests_per_second: z
    .int()
    .min(1)
    .max(20)
    .default(10)
    .describe("Per account and operation. The account's other tools share the service's 20."),
  timeout: duration({ min: '10ms', max: '10m' })
    .prefault('10s')
    .describe('How long one attempt may take.'),
  max_attempts: z
    .int()
    .min(1)
    .max(10)
    .default(4)
    .describe('How often a request is tried before its poll fails.'),
});

const regionName = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)+$/, { error: 'expected a region such as ap-guangzhou' })
  .max(64);

const launchTemplateId = z
  .string()
  .regex(/^lt-[A-Za-z0-9-]{1,60}$/, { error: 'expected a template ID such as lt-b8v1kcyq' });

const regionSchema = z
  .strictObject({
    name: regionName,
    zones: z
      .array(
        z.string().regex(/^[a-z0-9-]{1,64}$/, { error: 'expected a zone such as ap-guangzhou-3' }),
      )
      .min(1, { error: 'name at least one zone, or leave the key out for all' })
      .check(uniqueBy('zone', (zone) => zone))
      .optional()
      .describe('The zones that are watched; all when absent.'),
    launch_templates: z
      .array(launchTemplateId)
      .check(uniqueBy('launch template', (id) => id))
      .default([])
      .describe('The launch templates that are watched.'),
  })
  .superRefine(({ name, zones }, context) => {
    for (const [i, zone] of (zones ?? []).entries()) {
      if (zone.startsWith(`${name}-`)) continue;
      const message = `is no zone of ${name}; its zones begin with ${name}-`;
      context.addIssue({ code: 'custom', path: ['zones', i], message });
    }
  });

/** The name of an element that may not have been validated. */
function nameOf(element: unknown): unknown {
  return typeof element === 'object' && element !== null && 'name' in element
    ? element.name
    : undefined;
}

const accountSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, {
      error: 'expected up to 63 letters, digits, dots, dashes and underscores',
    })
    .describe('The `account` label.'),
  credentials: credentialsSchema.prefault({ type: 'environment' }),
  quota_types: z
    .array(z.enum(quotaTypes))
    .min(1, { error: 'name at least one quota type, or leave the key out for all' })
    .check(uniqueBy('quota type', (type) => type))
    .default([...quotaTypes])
    .describe('The quotas that are watched; all when absent.'),
  regions: z
    .array(
      z.union([
        regionName
          .transform((name) => ({ name, zones: undefined, launch_templates: [] }))
          .describe('Short form: quotas only.'),
        regionSchema,
      ]),
    )
    .min(1, { error: 'name at least one region' })
    .check(uniqueBy('region', (region) => nameOf(region) ?? region)),
});

export const configSchema = z.strictObject({
  poll: pollSchema.prefault({}).describe('When the service is asked.'),
  api: apiSchema.prefault({}).describe('How the service is asked.'),
  accounts: z
    .array(accountSchema)
    .min(1, { error: 'name at least one account' })
    .check(uniqueBy('account', nameOf))
    .describe('What is watched, and with whose credentials.'),
});

/** The JSON Schema of the configuration file, for editors. */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input' });
  const title = 'Configuration of cvm-quota-monitor';
  return `${JSON.stringify({ ...schema, title }, null, 2)}\n`;
}
