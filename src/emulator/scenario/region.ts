/**
 * The schemas of a region and of what is in it: zones, quotas, instance types, disks, subnets, placement groups; and
 * what follows from an instance type, such as its price. Templates and auto scaling have files of their own. `account.ts`
 * lists regions; the state and the operations use the types.
 */
import { z } from 'zod';
import { suggestion } from '../../validation/nearest.ts';
import { activitySchema, launchConfigurationSchema, scalingGroupSchema } from './scaling.ts';
import { templateSchema } from './template.ts';
import {
  addIssue,
  choice,
  listOf,
  optional,
  refuseRepeated,
  rowObject,
  tags,
  uniqueList,
  type Path,
} from './schema-parts.ts';
import {
  chargeTypes,
  type ChargeType,
  count,
  diskChargeTypes,
  diskTypes,
  diskUsages,
  imageId,
  instanceType,
  placementGroupId,
  regionName,
  snapshotId,
  stockLevels,
  subnetId,
  zoneName,
} from './vocabulary.ts';

const availability = choice(
  ['AVAILABLE', 'UNAVAILABLE'],
  'what DescribeRegions and DescribeZones say',
);

const quota = rowObject({
  used: count.default(0).describe('how much is used; it may be more than the limit'),
  limit: count.describe('how much may be used'),
});
export type Quota = z.output<typeof quota>;

const prepaid = quota.extend({
  once_limit: optional(count, 'the most that one purchase may take; the limit when absent'),
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

const instanceTypeSchema = rowObject({
  type: instanceType.describe('such as S5.LARGE8'),
  charge_types: z
    .array(z.enum(chargeTypes))
    .min(1, { error: 'an instance type has at least one charge type' })
    .default([...chargeTypes])
    .describe('the charge types that the zone sells it for'),
  cpu: z.int().min(1).describe('vCPUs'),
  memory: z.int().min(1).describe('in GB'),
  stock: choice(stockLevels, 'its StatusCategory; WithoutStock is sold out'),
  price: optional(
    z.number().min(0),
    'in yuan, an hour (0.1 when absent), or prepaid a month (59 when absent)',
  ),
}).meta({ id: 'InstanceType' });
export type InstanceType = z.output<typeof instanceTypeSchema>;

/** The family of an instance type: S5 of S5.LARGE8. */
export function familyOf({ type }: Pick<InstanceType, 'type'>): string {
  return type.replace(/\..*$/, '');
}

/** The charge type of an instance type of a zone. It has exactly one, since {@link zoneSchema} splits types by it. */
export function chargeTypeOf({ charge_types: [only = 'postpaid'] }: InstanceType): ChargeType {
  return only;
}

/**
 * The price of some instances, as the fields of an answer.
 *
 * @param each the price of one instance, in yuan: prepaid for a month (default 59), otherwise for an hour (default 0.1)
 */
export function priceOf(instances: number, isPrepaid: boolean, each = isPrepaid ? 59 : 0.1) {
  const price = instances * each;
  return isPrepaid
    ? { OriginalPrice: price, DiscountPrice: price, Discount: 100 }
    : { UnitPrice: price, UnitPriceDiscount: price, Discount: 100, ChargeUnit: 'HOUR' };
}

/** A zone. Without a quota of a type, it has no row in the answer for this type. */
export const zoneSchema = rowObject({
  name: zoneName.describe('such as ap-guangzhou-3'),
  state: availability,
  postpaid: quota.optional().describe('instances that are paid by the hour'),
  prepaid: optional(prepaid, 'instances that are paid by the month; used is counted by month'),
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
});
export type Zone = z.output<typeof zoneSchema>;

export const subnetSchema = rowObject({
  id: subnetId.describe('such as subnet-bthucmmy'),
  name: z.string().default('subnet').describe('SubnetName'),
  vpc: z.string().default('vpc-dcteo7jd').describe('VpcId'),
  zone: zoneName.describe('the zone that it lies in'),
  cidr_block: z.string().default('10.0.0.0/24').describe('CidrBlock'),
  is_default: z.boolean().default(false).describe('IsDefault'),
  tags: tags.describe('TagSet'),
  total: count.describe('TotalIpAddressCount: all IPv4 addresses'),
  available: count.describe('AvailableIpAddressCount: the free ones'),
}).superRefine(({ available, total }, context) => {
  if (available > total) addIssue(context, ['available'], `cannot be more than total, ${total}`);
});

/**
 * An entry of `disks`: whether the disks that match its {@link diskSelectors} can be had. A selector that is absent matches
 * every disk.
 */
export const diskSchema = rowObject({
  type: z.enum(diskTypes).describe('DiskType'),
  zone: zoneName.optional().describe('every zone when absent'),
  usage: z.enum(diskUsages).optional().describe('both when absent'),
  charge_type: optional(z.enum(diskChargeTypes), 'both when absent; spot instances take postpaid'),
  instance_family: z.string().optional().describe('such as S5; every one when absent'),
  availability: z
    .enum(['available', 'sold-out', 'not-offered'])
    .describe('sold-out: Available is false; not-offered: there is no row'),
});
/** The keys of an entry of `disks` that say which disks it is about. */
export const diskSelectors = ['type', 'zone', 'usage', 'charge_type', 'instance_family'] as const;

export const placementGroupSchema = quota.extend({
  id: placementGroupId.describe('such as ps-1y147q03'),
  name: z.string().default('group').describe('Name'),
  type: z.enum(['HOST', 'SW', 'RACK']).default('HOST').describe('what its instances do not share'),
  tags: tags.describe('Tags'),
});

export const regionSchema = rowObject({
  name: regionName.describe('such as ap-guangzhou'),
  state: availability,
  zones: uniqueList(zoneSchema, 'name', 'the zones of the region, with their quotas'),
  image: quota.optional().describe('custom images of the region'),
  disaster_recover_group: placementGroups.optional().describe('placement groups of the region'),
  subnets: uniqueList(subnetSchema, 'id', 'the subnets of the region'),
  placement_groups: uniqueList(placementGroupSchema, 'id', 'the groups that exist'),
  disks: listOf(
    diskSchema,
    'what cannot be had; of two entries about a disk, the later one counts',
  ),
  images: optional(z.array(imageId), 'the images that prices find; every one when absent'),
  snapshots: optional(z.array(snapshotId), 'the snapshots that prices find; every one when absent'),
  launch_configurations: uniqueList(launchConfigurationSchema, 'id', 'what groups start'),
  scaling_groups: uniqueList(scalingGroupSchema, 'id', 'the auto scaling groups'),
  activities: uniqueList(activitySchema, 'id', 'what the scaling groups did'),
  launch_templates: uniqueList(templateSchema, 'id', 'the launch templates of the region'),
}).superRefine((region, context) => {
  const { name, scaling_groups: groups, launch_configurations: configurations } = region;
  const checkZone = (path: Path, zone: string | undefined) => {
    if (zone === undefined || isZoneOf(name, zone)) return;
    addIssue(context, path, `${zone} is not a zone of ${name}`);
  };
  const checkId = (path: Path, wanted: string, rows: readonly { readonly id: string }[]) => {
    const ids = rows.map(({ id }) => id);
    if (ids.includes(wanted)) return;
    addIssue(context, path, `${name} has no ${wanted}${suggestion(wanted, ids)}`);
  };
  for (const [n, { name: zone }] of region.zones.entries()) checkZone(['zones', n], zone);
  for (const [n, { zone }] of region.subnets.entries()) checkZone(['subnets', n, 'zone'], zone);
  for (const [n, { zone }] of region.disks.entries()) checkZone(['disks', n, 'zone'], zone);
  for (const [n, { launch_configuration: id, subnets, zones }] of groups.entries()) {
    const at = ['scaling_groups', n];
    checkId([...at, 'launch_configuration'], id, configurations);
    for (const zone of zones) checkZone([...at, 'zones'], zone);
    for (const [m, id] of subnets.entries()) checkId([...at, 'subnets', m], id, region.subnets);
  }
  for (const [n, { scaling_group: id }] of region.activities.entries()) {
    checkId(['activities', n, 'scaling_group'], id, groups);
  }
});
export type Region = z.output<typeof regionSchema>;

/** Whether a zone belongs to a region, as its name says: `ap-shanghai-fsi-1` is none of `ap-shanghai`. */
export function isZoneOf(region: string, zone: string): boolean {
  return zone.startsWith(`${region}-`) && !zone.slice(region.length + 1).includes('-');
}
