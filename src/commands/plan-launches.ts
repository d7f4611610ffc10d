/**
 * The sources of a plan of Terraform, for asked-report.ts: what the resources that the plan creates or replaces would start.
 * The values of a resource become the fields of an answer of the service, which the collectors then read as they read answers.
 */
import { versionData, versionOf } from '../collectors/launch-template/answer.ts';
import { launchOf } from '../collectors/launch-template/default-launch.ts';
import { lenient } from '../collectors/rows.ts';
import { configurationRow } from '../collectors/scaling/configurations.ts';
import { groupRow, withOwnZones } from '../collectors/scaling/groups.ts';
import type { Config } from '../config/config.ts';
import type { AskedSource } from '../model/launches/asked.ts';
import { ofNoTemplate } from '../model/launches/launch.ts';
import { count } from '../model/stored.ts';
import { isMap } from '../validation/always.ts';
import { placeOf, regionOfZone, type Narrowing, type UnplacedSource } from './asked-launches.ts';
import { createdResources, knownLater, type CreatedResource, type Plan } from './terraform-plan.ts';

/** Gives the value of a key of a block: `undefined` if nothing sets it, {@link knownLater} if it is unknown before the apply. */
type Read = (key: string) => unknown;

/** @param block the values of a resource, or a list with its only block. Of anything else, each value is known later */
function readerOf(block: unknown): Read {
  const values: unknown = Array.isArray(block) ? block[0] : block;
  if (!isMap(values)) return () => knownLater;
  // The launch template may set what the resource does not set.
  const unset = values['launch_template_id'] ? knownLater : undefined;
  return (key) => values[key] ?? unset;
}

/** What is set by keys whose values are texts or lists of texts, in one list. */
const listOf = (read: Read, ...keys: readonly string[]) =>
  keys.flatMap(read).filter((value) => value !== undefined && value !== '');

/** What a resource or block says of instances, by the fields of the service. */
function instanceFields(read: Read) {
  const disks = read('data_disk') ?? read('data_disks');
  const typeOf = (read: Read) => ({ DiskType: read('disk_type') ?? read('data_disk_type') });
  return {
    InstanceType: read('instance_type'),
    InstanceTypes: listOf(read, 'instance_type', 'instance_types', 'backup_instance_types'),
    InstanceChargeType: read('instance_charge_type'),
    Placement: { Zone: read('availability_zone') },
    VirtualPrivateCloud: {
      SubnetId: read('subnet_id'),
      Ipv6AddressCount: read('ipv6_address_count'),
    },
    SystemDisk: { DiskType: read('system_disk_type') },
    DataDisks: Array.isArray(disks) ? disks.map((disk) => typeOf(readerOf(disk))) : disks,
    DiskTypePolicy: read('disk_type_policy'),
    DisasterRecoverGroupIds: listOf(read, 'disaster_recover_group_ids', 'placement_group_id'),
  };
}

/** What a resource starts, and how many instances. */
type Started = Pick<AskedSource, 'launch' | 'count'>;

/** The launch of a resource without a scaling group. It is read as version 0 of no template. */
function launchFrom(block: unknown, region: string) {
  const data = versionData.parse(instanceFields(readerOf(block)));
  return launchOf(ofNoTemplate, versionOf(0, data, region));
}

/**
 * What a scaling group starts when it is created. It is judged for these instances alone, and not up to its maximum.
 *
 * @param id the address of the resource: the group and its launch configuration have no ID yet
 * @param block the values or the block of the launch configuration
 */
function startedByGroup(id: string, resource: unknown, block: unknown, region: string): Started {
  const read = readerOf(resource);
  const size = read('desired_capacity') ?? read('min_size');
  const mixed = readerOf(read('spot_mixed_allocation_policy') ?? {});
  const fields = {
    AutoScalingGroupStatus: 'NORMAL',
    EnabledStatus: 'ENABLED',
    MinSize: 0,
    MaxSize: size,
    DesiredCapacity: size,
    InstanceCount: 0,
    SubnetIdSet: read('subnet_ids'),
    ZoneSet: read('zones'),
    InstanceAllocationPolicy: read('instance_allocation_policy') ?? 'LAUNCH_CONFIGURATION',
    SpotMixedAllocationPolicy: {
      CompensateWithBaseInstance: mixed('compensate_with_base_instance'),
      BaseCapacity: mixed('base_capacity'),
      OnDemandPercentageAboveBaseCapacity: mixed('on_demand_percentage_above_base_capacity'),
    },
  };
  const ids = { id, name: id, configurationId: id };
  const group = withOwnZones(region, { ...groupRow.parse(fields), ...ids });
  const row = { LaunchConfigurationStatus: 'NORMAL', ...instanceFields(readerOf(block)) };
  const launch = { group, configuration: { id, ...configurationRow.parse(row) } };
  return { launch, count: group.desiredCapacity };
}

/** What a resource starts, by its type. Resources of other types start nothing that is judged. */
const starters: Readonly<Record<string, (resource: CreatedResource, region: string) => Started>> = {
  tencentcloud_instance: ({ values }, region) => ({ launch: launchFrom(values, region), count: 1 }),
  tencentcloud_kubernetes_scale_worker: ({ values: { worker_config: block } }, region) => ({
    launch: launchFrom(block, region),
    count: lenient(count, 1).parse(readerOf(block)('count')),
  }),
  tencentcloud_kubernetes_node_pool: ({ address, values }, region) =>
    startedByGroup(address, values, values['auto_scaling_config'], region),
  tencentcloud_as_scaling_group: ({ address, values, valuesOf }, region) => {
    const configuration = valuesOf('configuration_id', 'tencentcloud_as_scaling_config');
    return startedByGroup(address, values, configuration, region);
  },
};

/**
 * What a plan would start, each resource with the account that has its region. Equal resources of one block are one source
 * with the sum of their instances. Those that are prepaid (a purchase has a maximum) or may choose their zones stay apart.
 *
 * @throws UsageError if several accounts fit a resource
 */
export function sourcesOfPlan(plan: Plan, config: Config, narrowing: Narrowing) {
  const byKey = new Map<string, AskedSource>();
  const [onlyRegion = '', ...otherRegions] = narrowing.region ?? [];
  for (const resource of createdResources(plan, Object.keys(starters))) {
    const { address, block, type } = resource;
    const region = regionOf(resource) ?? (otherRegions.length === 0 ? onlyRegion : '');
    const started = starters[type]?.(resource, region);
    if (started === undefined || started.count === 0) continue;
    const source = withAccount({ name: address, region, ...started }, config, narrowing);
    const { launch } = source;
    // A group, a launch that is not judged, one whose zone is unknown or open, and a purchase.
    const isApart =
      !('isZoneNamed' in launch) || (launch.zone ?? '') === '' || launch.chargeType === 'prepaid';
    const key = isApart ? address : JSON.stringify([block, source.account, source.region, launch]);
    const equal = byKey.get(key);
    const merged = equal && { ...equal, name: block, count: sumOf(equal, source) };
    byKey.set(key, merged ?? source);
  }
  return [...byKey.values()];
}

/** `null` (unknown) if one of the counts is. */
const sumOf = (a: AskedSource, b: AskedSource) =>
  a.count === null || b.count === null ? null : a.count + b.count;

/** The region of the zone that a resource names, else that of its provider. `null`: known after the apply. */
function regionOf({ region, values }: CreatedResource): string | null {
  const read = readerOf(values['worker_config'] ?? values);
  const zone = listOf(read, 'availability_zone', 'zones').find((each) => typeof each === 'string');
  return zone === undefined ? region : regionOfZone(zone);
}

/** The source with its account. Without an account or a region, its launch is one that is not judged, with the reason. */
function withAccount(source: UnplacedSource, config: Config, narrowing: Narrowing): AskedSource {
  const place = source.region === '' ? undefined : placeOf(config, narrowing, source);
  if (place !== undefined) return { ...source, account: place.account };
  const unjudged =
    source.region === ''
      ? 'nothing that is known before the apply names its region: name it with --region'
      : 'no account of the configuration names its region';
  return { ...source, account: '', launch: { ...ofNoTemplate, unjudged } };
}
