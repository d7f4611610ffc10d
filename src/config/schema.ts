/**
 * The schema of the configuration file, with which `config.ts` reads it, and its JSON Schema for editors.
 * docs/configuration.md explains the keys.
 */
import { z } from 'zod';
import { sites } from '../api/request.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { regionName, uniqueNames } from '../collectors/keys.ts';
import { duration } from '../validation/duration.ts';
import { always, memberOf } from '../validation/always.ts';
import { unique } from '../validation/unique.ts';
import { apiSchema } from './api-schema.ts';
import { clusterSchema } from './cluster-schema.ts';
import { credentialsSchema } from '../credentials/types.ts';
import { cronProblem } from '../schedule/cron.ts';
import { labelsSchema } from './labels-schema.ts';
import { linksSchema } from './links-schema.ts';
import { shortName, checkedText, orNull } from '../validation/text-schemas.ts';
import { planTargets } from '../collectors/plan.ts';
import { thresholdsSchema, toThresholds } from './thresholds-schema.ts';
import { isKnownTimezone } from '../schedule/local-days.ts';

const pollSchema = z
  .strictObject({
    schedule: checkedText(cronProblem)
      .default('*/5 * * * *')
      .describe('When a cycle begins: a cron expression of 5 or 6 fields.'),
    timezone: z
      .string()
      .refine(isKnownTimezone, { error: 'unknown time zone; expected a name such as Etc/UTC' })
      .default('Etc/UTC')
      .describe('The time zone of the schedule.'),
    // Node.js ends timers of more than 24.8 days at once. One day is more than enough for a jitter.
    jitter: duration({ max: '1d' })
      .prefault('0s')
      .describe('The maximum random delay before each cycle.'),
    stale_after: duration({ min: '1s' })
      .prefault('15m')
      .describe('Time after the last success of a target after which its gauges vanish.'),
  })
  .transform(({ schedule, timezone, jitter, stale_after }) => ({
    expression: schedule,
    timezone,
    jitterMs: jitter,
    staleAfterMs: stale_after,
  }));

/** The settings of every region in the short form. One object, because collectors parse each object only once. */
const noSettings = {};

/**
 * The keys that the collectors add to a part of the configuration, with their schemas. No two collectors may have a key of
 * the same name: the later one would win. A collector without keys for discovered regions has those of a region there.
 */
function keysOf({ all }: CollectorSet, part: 'account' | 'region' | 'discoveredRegions') {
  const schemas = all.map(({ configuration }) => configuration[part] ?? configuration.region);
  const entries = schemas.flatMap(({ shape }) => Object.entries(shape));
  return Object.fromEntries<z.core.$ZodType>(entries);
}

/** A region, with the keys of every collector as its `settings`. */
function regionSchema(collectors: CollectorSet) {
  return z
    .strictObject({ name: regionName, ...keysOf(collectors, 'region') })
    .superRefine((region, context) => {
      for (const collector of collectors.all) {
        for (const { path, message } of collector.regionProblems(region.name, region)) {
          context.addIssue({ code: 'custom', path: [...path], message });
        }
      }
    })
    .transform(({ name, ...settings }) => ({ name, settings }));
}

/** A map for regions that discovery finds: `except`, and keys of collectors for every region, as `settings`. */
function discoveredRegionsSchema(collectors: CollectorSet) {
  return z
    .strictObject({
      except: uniqueNames('region', regionName)
        .default([])
        .describe('The regions that are not watched.'),
      ...keysOf(collectors, 'discoveredRegions'),
    })
    .transform(({ except, ...settings }) => ({ except, settings }));
}

/** An account, with the keys of every collector as its `settings`. */
function accountSchema(collectors: CollectorSet) {
  return z
    .strictObject({
      name: shortName.describe('The `account` label.'),
      labels: labelsSchema(collectors)
        .default({})
        .describe('Further labels of every series of the account.'),
      credentials: credentialsSchema.prefault({ type: 'default' }),
      site: z
        .enum(sites)
        .default('domestic')
        .describe('Whose hosts are asked. `api.endpoint` wins over it.'),
      ...keysOf(collectors, 'account'),
      regions: z
        .union([
          z.literal('all').transform(() => ({ except: [], settings: {} })),
          discoveredRegionsSchema(collectors),
          z
            .array(
              z.union([
                regionName
                  .transform((name) => ({ name, settings: noSettings }))
                  .describe('Short form: a region without further keys.'),
                regionSchema(collectors),
              ]),
            )
            .min(1, { error: 'name at least one region' })
            .check(unique('region')),
        ])
        .describe('The regions that are watched: a list, `all`, or a map for all but some.'),
    })
    .transform(({ name, labels, credentials, site, regions, ...settings }) => ({
      name,
      labels,
      credentials,
      site,
      regions: Array.isArray(regions) ? regions : [],
      discoveredRegions: Array.isArray(regions) ? null : regions,
      settings,
    }))
    .superRefine((account, context) => {
      for (const [i, { settings }] of account.regions.entries()) {
        const problems = collectors.all.flatMap((collector) =>
          collector.accountProblems(account.settings, settings),
        );
        for (const { path, message } of problems) {
          context.addIssue({ code: 'custom', path: ['regions', i, ...path], message });
        }
      }
      // A target that finds regions watches nothing by itself.
      const targets = planTargets({ accounts: [account] }, collectors);
      if (targets.some((target) => collectors.of(target).regionDiscovery === null)) return;
      const reasons = new Set(
        collectors.all.flatMap(({ configuration }) => configuration.emptyReason ?? []),
      );
      const message = `watches nothing: ${[...reasons].join(' and ')}`;
      context.addIssue({ code: 'custom', message });
    });
}

/** True if `launches` is set in an account. One with a mistake is as in the file: it has the key itself, and no `settings`. */
function hasLaunches(account: unknown): boolean {
  return memberOf(memberOf(account, 'settings') ?? account, 'launches') === true;
}

/**
 * The schema of the whole file, with the keys of every collector. Its output is `Config`.
 *
 * @param readsCaFile true: the file of `api.ca_file` is read, so the schema must be parsed asynchronously
 */
export function configSchema(collectors: CollectorSet, readsCaFile: boolean) {
  return z
    .strictObject({
      poll: pollSchema.prefault({}).describe('When the service is polled.'),
      api: apiSchema(readsCaFile).prefault({}).describe('How requests are sent.'),
      thresholds: thresholdsSchema([...collectors.quotaNames.keys()])
        .prefault({})
        .describe('How much of a quota must remain: on the page, in `check`, and for alerts.'),
      links: linksSchema.prefault({}).describe('Addresses that the page and alerts link to.'),
      accounts: z
        .array(accountSchema(collectors))
        .min(1, { error: 'name at least one account' })
        .check(unique('account'))
        .describe('The accounts that are watched, with their credentials.'),
      cluster: clusterSchema
        .optional()
        .transform(orNull)
        .describe('Several daemons share the accounts. Default: one, with records in files.'),
    })
    .superRefine((file: Readonly<Record<string, unknown>>, context) => {
      const { accounts, api } = file;
      const endpoint = String(memberOf(api, 'endpoint'));
      // An endpoint with the host of cvm cannot serve launches.
      const areJudged = Array.isArray(accounts) && accounts.some(hasLaunches);
      if (!/^https?:\/\/cvm\./.test(endpoint) || !areJudged) return;
      const message = `launches also ask other services, such as vpc: write {service} in place of cvm, as in ${endpoint.replace('cvm', '{service}')}`;
      context.addIssue({ code: 'custom', path: ['api', 'endpoint'], message });
    }, always)
    .transform(({ thresholds, ...file }) => ({
      ...file,
      thresholds: toThresholds(thresholds, file.poll.timezone),
    }));
}

/** The JSON Schema of the configuration file, for editors. */
export function configJsonSchema(collectors: CollectorSet): string {
  const schema = z.toJSONSchema(configSchema(collectors, false), { io: 'input' });
  const title = 'Configuration of cvm-quota-monitor';
  return `${JSON.stringify({ ...schema, title }, null, 2)}\n`;
}
