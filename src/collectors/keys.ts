/**
 * The keys of the configuration that several kinds share, as their `configuration`, and the schemas of names and IDs.
 * These are strict, also for answers: names of places and resources become parts of hosts, file names and labels.
 */
import { z } from 'zod';
import { chargeTypes } from '../model/launches/launch.ts';
import { nonSecretText } from '../validation/text-schemas.ts';
import { unique } from '../validation/unique.ts';
import type { CollectorConfiguration, RegionProblem } from './collector.ts';
import { isZoneOf } from './rows.ts';

export const regionName = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)+$/, { error: 'expected a region such as ap-guangzhou' })
  .max(64);

export const zoneName = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, { error: 'expected a zone such as ap-guangzhou-3' });

/** The ID of a resource: its prefix and up to 60 characters. @param example an ID without its prefix */
function resourceId(noun: string, prefix: string, example: string, characters = 'A-Za-z0-9') {
  const error = `expected a ${noun} ID such as ${prefix}-${example}`;
  return z.string().regex(new RegExp(`^${prefix}-[${characters}]{1,60}$`), { error });
}

export const launchTemplateId = resourceId('template', 'lt', 'b8v1kcyq', 'A-Za-z0-9-');
export const subnetId = resourceId('subnet', 'subnet', 'bthucmmy');
export const placementGroupId = resourceId('placement group', 'ps', '1y147q03');
export const scalingGroupId = resourceId('scaling group', 'asg', '12wjuh0s');
export const launchConfigurationId = resourceId('launch configuration', 'asc', 'ouy1ax38');

const instanceTypeName = z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,31}\.[A-Za-z0-9-]{1,31}$/, {
  error: 'expected an instance type such as S5.LARGE8',
});

/** A list of names of which none occurs twice. @param noun of a name, for messages */
export function uniqueNames<Name extends z.ZodType<string>>(noun: string, name: Name) {
  return z.array(name).check(unique(noun));
}

/** A list of at least one name, for a key whose absence means every one. */
export function nonEmptyNames<Name extends z.ZodType<string>>(noun: string, name: Name) {
  const error = `name at least one ${noun}, or omit the key for every ${noun}`;
  return uniqueNames(noun, name).min(1, { error });
}

/** The key `zones`, which quotas and launches share. */
export const zoneKeys = z.object({
  zones: nonEmptyNames('zone', zoneName)
    .optional()
    .describe('The zones that are watched. Default: all.'),
});

/**
 * A mistake for each zone that cannot belong to its region: no answer would ever hold it.
 *
 * @param path the place in the region of the map that has the key `zones`
 */
export function zoneProblems(
  region: string,
  zones: readonly string[] = [],
  path: readonly PropertyKey[] = [],
): readonly RegionProblem[] {
  const message = `is not a zone of ${region}; its zones begin with ${region}-`;
  return zones.flatMap((zone, i) =>
    isZoneOf(region, zone) ? [] : [{ path: [...path, 'zones', i], message }],
  );
}

/** A name, or a key or value of a tag, which the service limits to this length. */
const nameText = nonSecretText(/^.{1,128}$/, 'a text of 1 to 128 characters');

/** The service allows 10 filters in a request (docs/service.md, section 7). Each tag is a filter. */
const maxTags = 10;

/** A selection of templates or scaling groups by names and tags. `selection.ts` applies it. */
export const selectionKeys = z.strictObject({
  names: z
    .array(nameText)
    .min(1, { error: 'write at least one name, or omit the key for every name' })
    .optional()
    .describe('Names. `*` matches any text. Default: every name.'),
  tags: z
    .record(nameText, nameText)
    .refine((tags) => Object.keys(tags).length <= maxTags, {
      error: `the service allows at most ${maxTags} tags`,
    })
    .optional()
    .describe('Tags that are needed, all of them. Default: none.'),
});

/** The key of this name. */
const max_launch_templates = z
  .int()
  .min(1)
  .max(10_000)
  .default(1_000)
  .describe('The maximum number of watched templates that discovery finds in the region.');

/** An entry of `instance_types` that can apply to every region. */
const paidInstanceType = z.strictObject({
  type: instanceTypeName.describe('Such as S5.LARGE8.'),
  charge_types: nonEmptyNames('charge type', z.enum(chargeTypes))
    .default(['postpaid', 'spotpaid'])
    .describe('How the instances are paid. Default: postpaid and spotpaid.'),
});

/** An entry of `instance_types` of one region. `check` makes one of each instance type that it asks about. */
export const placedInstanceType = paidInstanceType.extend({
  zones: nonEmptyNames('zone', zoneName)
    .optional()
    .describe('Where they are started. Default: the zones of the region, or those that sell it.'),
  subnets: uniqueNames('subnet', subnetId)
    .default([])
    .describe(
      'Subnets of which one is enough. Without `zones`, each counts in its own zone only. Default: none is judged.',
    ),
});

/**
 * The key `instance_types`: a list of maps, or of names, each of which stands for a map with the defaults.
 *
 * @param entry the schema of a map
 */
function instanceTypes<Entry extends z.ZodType>(entry: Entry) {
  const fromName = instanceTypeName.transform((type) => placedInstanceType.parse({ type }));
  return z
    .array(z.union([fromName, entry]))
    .check(unique('instance type', 'type'))
    .prefault([])
    .describe(
      'Launches without a template or scaling group, such as those of native node pools: instance types, or maps with charge_types, zones and subnets. Needs `launches: true`.',
    );
}

/** The key `scaling_groups`. @param ids the schema of a list of IDs */
const scalingGroupsKey = (ids: z.ZodType<string[]>) =>
  z
    .union([z.literal('all'), selectionKeys, ids])
    .optional()
    .describe(
      'The scaling groups whose launches are judged: a list of IDs, `all`, or those with such names and tags. Needs `launches: true`. Default: all.',
    );

/** The configuration of all kinds about launches: what says which launches of a region are judged. */
export const launchConfiguration = {
  account: z.object({
    launches: z
      .boolean()
      .default(false)
      .describe(
        'Whether launches are judged, of default versions, instance types and scaling groups: will the next one succeed?',
      ),
  }),
  region: z.object({
    ...zoneKeys.shape,
    launch_templates: z
      .union([z.literal('all'), selectionKeys, uniqueNames('launch template', launchTemplateId)])
      .default([])
      .describe(
        'The launch templates that are watched: a list of IDs, `all`, or those with such names and tags.',
      ),
    max_launch_templates,
    instance_types: instanceTypes(placedInstanceType),
    subnets: uniqueNames('subnet', subnetId)
      .default([])
      .describe('Further subnets whose free addresses are watched. Default: none.'),
    scaling_groups: scalingGroupsKey(uniqueNames('scaling group', scalingGroupId)),
  }),
  // Zones, subnets and the IDs of templates belong to one region, so they are no keys of every region.
  discoveredRegions: z.object({
    launch_templates: z
      .union([z.literal('all'), selectionKeys])
      .optional()
      .describe('The launch templates that are watched in each region. Default: none.'),
    max_launch_templates,
    scaling_groups: scalingGroupsKey(
      z.array(z.never({ error: 'an ID is of one region: write [], all, or names and tags' })),
    ),
    instance_types: instanceTypes(paidInstanceType),
  }),
  emptyReason: 'no region names launch_templates and no region names subnets',
} satisfies CollectorConfiguration;
export type LaunchKeys = typeof launchConfiguration;

/**
 * The same keys without `launches`, for the kinds that read launch templates: a kind that has the key `launches` counts
 * as one whose operation only launches need.
 */
export const templateConfiguration = { ...launchConfiguration, account: z.object({}) };
export type TemplateKeys = typeof templateConfiguration;
