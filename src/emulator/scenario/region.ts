/**
 * The schemas of a region and of what is in it: zones, quotas, instance types, subnets. Templates have a file of
 * their own.
 */
import { z } from 'zod';
import { templateSchema } from './template.ts';
import { addIssue, refuseRepeated, rowOverrides, uniqueList } from './schema-parts.ts';
import {
  chargeTypes,
  count,
  instanceType,
  regionName,
  stockLevels,
  subnetId,
  zoneName,
} from './vocabulary.ts';

const availability = z
  .enum(['AVAILABLE', 'UNAVAILABLE'])
  .default('AVAILABLE')
  .describe('what DescribeRegions and DescribeZones say');

const quota = z.strictObject({
  used: count.default(0).describe('how much is used; it may be more than the limit'),
  limit: count.describe('how much may be used'),
  ...rowOverrides,
});
export type Quota = z.output<typeof quota>;

const prepaid = quota.extend({
  once_limit: count
    .optional()
    .describe('the most that one purchase may take; the limit when absent'),
});

const placementGroups = quota.extend({
  instances_per_group: z
    .strictObject({
      host: count.describe('CvmInHostGroupQuota'),
      switch: count.describe('CvmInSwitchGroupQuota'),
      rack: count.describe('CvmInRackGroupQuota'),
    })
    .default({ host: 50, switch: 20, rack: 30 })
    .describe('the most instances of one group, by the level that it spreads over'),
});

const instanceTypeSchema = z
  .strictObject({
    type: instanceType.describe('such as S5.LARGE8'),
    charge_types: z
      .array(z.enum(chargeTypes))
      .min(1, { error: 'an instance type has at least one charge type' })
      .default([...chargeTypes])
      .describe('the charge types that the zone sells it for'),
    cpu: z.int().min(1).describe('vCPUs'),
    memory: z.int().min(1).describe('in GB'),
    stock: z
      .enum(stockLevels)
      .default('EnoughStock')
      .describe('its StatusCategory; WithoutStock is sold out'),
    ...rowOverrides,
  })
  .meta({ id: 'InstanceType' });
export type InstanceType = z.output<typeof instanceTypeSchema>;

/** The fields of a zone that `add-zone` has too. A quota type that is absent has no row for the zone. */
export const zoneContent = {
  postpaid: quota.optional().describe('instances that are paid by the hour'),
  prepaid: prepaid
    .optional()
    .describe('instances that are paid by the month; used is counted by month'),
  spotpaid: quota.optional().describe('counts vCPU cores'),
  instance_types: z
    .array(instanceTypeSchema)
    // Each charge type has its own stock, so it becomes an entry of its own, whose `charge_types` has one element.
    .transform((types) =>
      types.flatMap((type) => type.charge_types.map((name) => ({ ...type, charge_types: [name] }))),
    )
    .superRefine(refuseRepeated(({ type, charge_types: names }) => `${type} ${names.join()}`))
    .prefault([])
    .describe('the instance types that the zone sells'),
};

const zone = z.strictObject({
  name: zoneName.describe('such as ap-guangzhou-3'),
  state: availability,
  ...zoneContent,
  ...rowOverrides,
});
export type Zone = z.output<typeof zone>;

const subnet = z
  .strictObject({
    id: subnetId.describe('such as subnet-bthucmmy'),
    name: z.string().default('subnet').describe('SubnetName'),
    vpc: z.string().default('vpc-dcteo7jd').describe('VpcId'),
    zone: zoneName.describe('the zone that it lies in'),
    cidr_block: z.string().default('10.0.0.0/24').describe('CidrBlock'),
    is_default: z.boolean().default(false).describe('IsDefault'),
    tags: z.record(z.string(), z.string()).default({}).describe('TagSet'),
    total: count.describe('TotalIpAddressCount: all IPv4 addresses'),
    available: count.describe('AvailableIpAddressCount: the free ones'),
    ...rowOverrides,
  })
  .superRefine(({ available, total }, context) => {
    if (available > total) addIssue(context, ['available'], `cannot be more than total, ${total}`);
  });
export type Subnet = z.output<typeof subnet>;

export const regionSchema = z
  .strictObject({
    name: regionName.describe('such as ap-guangzhou'),
    state: availability,
    zones: uniqueList(zone, ({ name }) => name, 'the zones of the region, with their quotas'),
    image: quota.optional().describe('custom images of the region'),
    disaster_recover_group: placementGroups.optional().describe('placement groups of the region'),
    subnets: uniqueList(subnet, ({ id }) => id, 'the subnets of the region'),
    launch_templates: uniqueList(
      templateSchema,
      ({ id }) => id,
      'the launch templates of the region',
    ),
    ...rowOverrides,
  })
  .superRefine(({ name, zones, subnets }, context) => {
    for (const [index, { name: listed }] of zones.entries()) {
      if (!isZoneOf(listed, name)) {
        addIssue(context, ['zones', index], `${listed} is not a zone of ${name}`);
      }
    }
    for (const [index, { zone: zoneOfSubnet }] of subnets.entries()) {
      if (!isZoneOf(zoneOfSubnet, name)) {
        addIssue(context, ['subnets', index, 'zone'], `${zoneOfSubnet} is not a zone of ${name}`);
      }
    }
  });
export type Region = z.output<typeof regionSchema>;

/** True when the name of a zone begins with that of the region. */
export function isZoneOf(name: string, region: string): boolean {
  return name.startsWith(`${region}-`);
}

/** The zone of a template's data that names none: the first of the region. */
export function defaultZone({ name, zones }: Region): string {
  return zones[0]?.name ?? `${name}-1`;
}
