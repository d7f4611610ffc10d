/** The schema of the configuration file; docs/configuration.md explains it. */
import { z } from 'zod';
import { signatureMethods } from '../api/signature-methods.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { duration } from '../validation/duration.ts';
import { cronProblem, isTimezone } from './cron.ts';
import { planTargets } from './targets.ts';
import { credentialsSchema } from './credentials-schema.ts';
import { labelsSchema, refuseOtherLabels } from './labels-schema.ts';
import { linksSchema } from './links-schema.ts';
import { accountName, regionName } from './names.ts';
import { thresholdsSchema } from './thresholds-schema.ts';
import { uniqueBy } from '../validation/unique.ts';

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
    .describe('The time zone of the schedule.'),
  // Node.js ends timers of more than 24.8 days at once. One day is more than enough for a jitter.
  jitter: duration({ max: '1d' })
    .prefault('0s')
    .describe('The maximum random delay before each cycle.'),
  stale_after: duration({ min: '1s' })
    .prefault('15m')
    .describe('Time after the last success of a target after which its gauges vanish.'),
});

const label = '[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?';
const host = new RegExp(`^(\\[[0-9a-fA-F:]+\\]|${label}(\\.${label})*)(:\\d{1,5})?/?$`);

/** The mistake in a base URL. `null` when it is valid. Its host may contain `{region}`. */
function endpointProblem(text: string): string | null {
  const url = text.replaceAll('{region}', 'region');
  const [, unknown] = /(\{[^}]*\}?|\})/.exec(url) ?? [];
  if (unknown !== undefined) return `the only placeholder is {region}, in exactly this form`;
  const [scheme = ''] = /^https?:\/\//.exec(url) ?? [];
  return scheme !== '' && host.test(url.slice(scheme.length)) && URL.canParse(url)
    ? null
    : 'expected http:// or https:// and a host, without a path; the host may contain {region}';
}

const endpoint = z
  .string()
  .superRefine((text, context) => {
    const message = endpointProblem(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .transform((text) => text.replace(/\/$/, ''));

const apiSchema = z.strictObject({
  endpoint: endpoint
    .prefault('https://cvm.tencentcloudapi.com')
    .describe('The base URL of the service. {region} is replaced by the name of each region.'),
  sts_endpoint: endpoint
    .prefault('https://sts.tencentcloudapi.com')
    .describe('The base URL of STS, for credentials of the types tke_oidc and assume_role.'),
  metadata_endpoint: endpoint
    .refine((url) => !url.includes('{region}'), { error: 'has no placeholder {region}' })
    .prefault('http://metadata.tencentyun.com')
    .describe('The base URL of the metadata service, for credentials of the type cvm_role.'),
  signature: z
    .enum(signatureMethods)
    .default('tc3')
    .describe('How requests are signed: in headers (tc3) or in the query string (hmac-*).'),
  requests_per_second: z
    .int()
    .min(1)
    .max(20)
    .default(10)
    .describe(
      'The rate limit for each account and operation. The service allows 20, shared with the other tools of the account.',
    ),
  timeout: duration({ min: '10ms', max: '10m' })
    .prefault('10s')
    .describe('The maximum duration of one attempt.'),
  max_attempts: z
    .int()
    .min(1)
    .max(10)
    .default(4)
    .describe('The maximum number of attempts of a request before its poll fails.'),
});

/** The keys of all collectors together. */
function keysOf(schemas: readonly z.ZodObject[]): Record<string, z.core.$ZodType> {
  return Object.fromEntries(schemas.flatMap(({ shape }) => Object.entries(shape)));
}

/** A region, with the keys of every collector as its `settings`. */
function regionSchema(collectors: CollectorSet) {
  const keys = keysOf(collectors.all.map(({ configuration }) => configuration.region));
  return z
    .strictObject({ name: regionName, ...keys })
    .superRefine((region, context) => {
      for (const collector of collectors.all) {
        for (const { path, message } of collector.regionProblems(region.name, region)) {
          context.addIssue({ code: 'custom', path: [...path], message });
        }
      }
    })
    .transform(({ name, ...settings }) => ({ name, settings }));
}

/** The keys of every region that discovery finds, as its `settings`. */
function everyRegionSchema(collectors: CollectorSet) {
  const keys = keysOf(
    collectors.all.map(({ configuration }) => configuration.everyRegion ?? configuration.region),
  );
  return z
    .strictObject({
      except: z
        .array(regionName)
        .check(uniqueBy('region', (name) => name))
        .default([])
        .describe('The regions that are not watched.'),
      ...keys,
    })
    .transform(({ except, ...settings }) => ({ except, settings }));
}

/** The nouns of the targets of a region without keys, in an account without keys. */
function defaultNouns({ all }: CollectorSet): string {
  const settings = { account: '', region: '', accountKeys: {}, regionKeys: {} };
  const watching = all.filter((collector) => collector.plan(settings).length > 0);
  return watching.map(({ noun }) => noun).join(', ');
}

/** The name of an element that may be invalid. */
function nameOf(element: unknown): unknown {
  return typeof element === 'object' && element !== null && 'name' in element
    ? element.name
    : undefined;
}

/** An account, with the keys of every collector as its `settings`. */
function accountSchema(collectors: CollectorSet) {
  const keys = keysOf(collectors.all.map(({ configuration }) => configuration.account));
  return z
    .strictObject({
      name: accountName.describe('The `account` label.'),
      labels: labelsSchema
        .default({})
        .describe('Further labels of `cvm_account_info`. All accounts have the same names.'),
      credentials: credentialsSchema.prefault({ type: 'default' }),
      ...keys,
      regions: z
        .union([
          z.literal('all').transform(() => ({ except: [], settings: {} })),
          everyRegionSchema(collectors),
          z
            .array(
              z.union([
                regionName
                  .transform((name) => ({ name, settings: {} }))
                  .describe(`Short form: ${defaultNouns(collectors)} only.`),
                regionSchema(collectors),
              ]),
            )
            .min(1, { error: 'name at least one region' })
            .check(uniqueBy('region', (region) => nameOf(region) ?? region)),
        ])
        .describe(
          'The regions that are watched: a list, `all`, or a map for all but some regions.',
        ),
    })
    .transform(({ name, labels, credentials, regions, ...settings }) => ({
      name,
      labels,
      credentials,
      regions: Array.isArray(regions) ? regions : [],
      everyRegion: Array.isArray(regions) ? null : regions,
      settings,
    }))
    .superRefine((account, context) => {
      const targets = planTargets({ accounts: [account] }, collectors);
      if (targets.some((target) => collectors.of(target).regionDiscovery === null)) return;
      const reasons = new Set(
        collectors.all.flatMap(({ configuration }) => configuration.nothing || []),
      );
      const message = `watches nothing: ${[...reasons].join(' and ')}`;
      context.addIssue({ code: 'custom', message });
    });
}

/** The schema of the file, with the keys of every collector. */
export function configSchema(collectors: CollectorSet) {
  return z.strictObject({
    poll: pollSchema.prefault({}).describe('When the service is polled.'),
    api: apiSchema.prefault({}).describe('How requests are sent.'),
    thresholds: thresholdsSchema
      .prefault({})
      .describe('How much of a quota must remain: on the page, in `check`, and for alerts.'),
    links: linksSchema.prefault({}).describe('Addresses that the page links to. Default: none.'),
    accounts: z
      .array(accountSchema(collectors))
      .min(1, { error: 'name at least one account' })
      .check(uniqueBy('account', nameOf))
      .superRefine(refuseOtherLabels)
      .describe('The accounts that are watched, with their credentials.'),
  });
}

/** The JSON Schema of the configuration file, for editors. */
export function configJsonSchema(collectors: CollectorSet): string {
  const schema = z.toJSONSchema(configSchema(collectors), { io: 'input' });
  const title = 'Configuration of cvm-quota-monitor';
  return `${JSON.stringify({ ...schema, title }, null, 2)}\n`;
}
