/** Regions with their zones, quotas and templates. */
import { z } from 'zod';
import { inCode } from '../input/words.ts';
import { regionQuotas, zoneSchema, type GroupQuota, type Quota } from './quotas.ts';
import { keyedBy, mistake, placeState, regionName } from './schema.ts';
import { createTemplate, templateSchema, type Template } from './templates.ts';

export const regionSchema = inCode(
  z.strictObject({
    name: regionName.describe('such as ap-guangzhou'),
    state: placeState,
    zones: z
      .array(zoneSchema)
      .transform(keyedBy(({ name }) => name))
      .prefault([])
      .describe('the zones of the region, with their quotas'),
    ...regionQuotas,
    launch_templates: z
      .array(templateSchema)
      .transform(keyedBy(({ id }) => id))
      .prefault([])
      .describe('the launch templates of the region'),
  }),
).superRefine(({ name, zones }, context) => {
  for (const [index, zone] of [...zones.keys()].entries()) {
    if (isZoneOf(zone, name)) continue;
    mistake(context, ['zones', index], `${zone} is not a zone of ${name}`);
  }
});

type RegionContent = z.output<typeof regionSchema>;

export interface Region extends Readonly<Pick<RegionContent, 'name' | 'state' | 'zones'>> {
  readonly quotas: {
    readonly image: Quota | null;
    readonly disaster_recover_group: GroupQuota | null;
  };
  readonly templates: Map<string, Template>;
}

export function createRegion({ launchTemplates, ...content }: RegionContent, atMs: number): Region {
  const { image = null, disasterRecoverGroup = null, ...place } = structuredClone(content);
  const creation = { defaultZone: defaultZone(place), atMs };
  return {
    ...place,
    quotas: { image, disaster_recover_group: disasterRecoverGroup },
    templates: new Map(
      [...launchTemplates].map(([id, template]) => [id, createTemplate(template, creation)]),
    ),
  };
}

export function isZoneOf(zone: string, region: string): boolean {
  return zone.startsWith(`${region}-`);
}

/** The zone of instances where nothing says another one. */
export function defaultZone({ name, zones }: Pick<RegionContent, 'name' | 'zones'>): string {
  return zones.keys().next().value ?? `${name}-1`;
}
