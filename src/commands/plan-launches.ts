/** The launches of a plan of Terraform: what the resources that it creates or replaces would start. */
import { chargeTypeOf, disksOf, unjudgedChargeType } from '../collectors/launch-settings.ts';
import type { Config } from '../config/config.ts';
import type { AskedSource } from '../model/launches/asked.ts';
import type { Launch, ScalingGroup, UnjudgedLaunch } from '../model/launches/launch.ts';
import {
  placesOf,
  plainLaunch,
  regionOfZone,
  type Narrowing,
  type UnplacedSource,
} from './asked-launches.ts';
import {
  countOf,
  createdResources,
  textOf,
  textsOf,
  type CreatedResource,
  type Plan,
  type Read,
} from './terraform-plan.ts';

/** The disks of a resource, of which the type of each data disk has this key. */
function disksIn(
  read: Read,
  dataDisks: string,
  typeKey: string,
  base: readonly (string | number)[],
) {
  const given = read(...base, dataDisks);
  const count = Array.isArray(given) ? given.length : 0;
  const DataDisks =
    given === null
      ? null
      : Array.from({ length: count }, (_, i) => ({
          DiskType: textOf(read(...base, dataDisks, i, typeKey)),
        }));
  return disksOf({
    SystemDisk: { DiskType: textOf(read(...base, 'system_disk_type')) },
    DataDisks,
  });
}

/** What a resource starts: the launch, for so many instances. */
type Started = Pick<AskedSource, 'launch' | 'count'>;

/** The launch of a resource without a scaling group. Of an instance with a template, what nobody sets is the template's. */
function launchIn(
  read: Read,
  base: readonly (string | number)[],
  disks: Launch['disks'],
  groups: readonly unknown[],
): Launch | UnjudgedLaunch {
  const isOwn = textOf(read('launch_template_id')) === '';
  const given = (key: string) => {
    const text = textOf(read(...base, key));
    return text === '' && !isOwn ? null : text;
  };
  const [instanceType, paid, zone, subnet] = [
    given('instance_type'),
    given('instance_charge_type'),
    given('availability_zone'),
    given('subnet_id'),
  ];
  const { groupId, templateId, templateName, version } = plainLaunch;
  const name = { groupId, templateId, templateName, version };
  const isNameless = instanceType === '' ? 'the resource names no instance type' : null;
  const unjudged = isNameless ?? unjudgedChargeType(paid);
  if (unjudged !== null) return { ...name, unjudged };
  const placementGroups = groups.map((group) => textsOf(group));
  const ipv6 = read(...base, 'ipv6_address_count');
  return {
    ...plainLaunch,
    instanceType,
    chargeType: paid === '' ? 'postpaid' : chargeTypeOf(paid),
    zone,
    isZoneNamed: zone !== '',
    subnets: subnet === null ? null : [subnet].filter((id) => id !== ''),
    count: null,
    ipv6Count: ipv6 === undefined ? (isOwn ? 0 : null) : countOf(ipv6),
    disks: isOwn ? disks : null,
    placementGroups:
      isOwn && !placementGroups.includes(null) ? placementGroups.flatMap((ids) => ids ?? []) : null,
  };
}

/** What a scaling group starts when it is created. It is judged for these instances alone, and not up to its maximum. */
function groupIn(
  address: string,
  group: Read,
  configuration: Read,
  base: readonly (string | number)[],
  types: readonly string[] | null,
  mixed: ScalingGroup['mixed'],
): Started {
  const desired = group('desired_capacity');
  const count = countOf(desired ?? (desired === undefined ? group('min_size') : null));
  const paid = textOf(configuration(...base, 'instance_charge_type'));
  const isAutomatic = textOf(configuration(...base, 'disk_type_policy')) === 'AUTOMATIC';
  const launch = {
    group: {
      ...{
        id: address,
        name: address,
        configurationId: address,
        status: 'NORMAL',
        isEnabled: true,
      },
      ...{ minSize: 0, maxSize: count, desiredCapacity: count, instances: 0 },
      subnets: textsOf(group('subnet_ids')),
      zones: textsOf(group('zones')),
      ...(mixed !== undefined && { mixed }),
    },
    configuration: {
      ...{ id: address, status: 'NORMAL', instanceTypes: types?.length === 0 ? null : types },
      chargeType: paid === '' ? ('postpaid' as const) : chargeTypeOf(paid),
      unjudged: unjudgedChargeType(paid),
      disks: isAutomatic ? [] : disksIn(configuration, 'data_disk', 'disk_type', base),
      placementGroups: textsOf(configuration(...base, 'disaster_recover_group_ids')),
    },
  };
  return { launch, count };
}

const worker = ['worker_config', 0] as const;
const pool = ['auto_scaling_config', 0] as const;

/** What a resource starts, by its type. Resources of other types start nothing that is judged. */
const starters: Readonly<Record<string, (resource: CreatedResource) => Started>> = {
  tencentcloud_instance: ({ read }) => {
    const placementGroup = read('placement_group_id');
    const single =
      placementGroup === undefined || placementGroup === ''
        ? []
        : placementGroup && [placementGroup];
    const groups = [read('disaster_recover_group_ids'), single];
    const disks = disksIn(read, 'data_disks', 'data_disk_type', []);
    return { launch: launchIn(read, [], disks, groups), count: 1 };
  },
  tencentcloud_kubernetes_scale_worker: ({ read }) => {
    const groups = [read(...worker, 'disaster_recover_group_ids')];
    const launch = launchIn(read, worker, disksIn(read, 'data_disk', 'disk_type', worker), groups);
    const count = read(...worker, 'count');
    return { launch, count: count === undefined ? 1 : countOf(count) };
  },
  tencentcloud_kubernetes_node_pool: ({ address, read }) => {
    const first = textOf(read(...pool, 'instance_type'));
    const others = textsOf(read(...pool, 'backup_instance_types'));
    const types = first === null || others === null ? null : [first, ...others];
    return groupIn(address, read, read, pool, types, undefined);
  },
  tencentcloud_as_scaling_group: ({ address, read, readOther }) => {
    const configuration = readOther('configuration_id', 'tencentcloud_as_scaling_config');
    const policy = textOf(read('instance_allocation_policy'));
    const mix = { isCompensated: true, base: null, percentage: null };
    const mixed = policy === 'SPOT_MIXED' ? mix : policy === null ? null : undefined;
    return groupIn(
      address,
      read,
      configuration,
      [],
      textsOf(configuration('instance_types')),
      mixed,
    );
  },
};

/**
 * What a plan would start, each resource with the account that has its region. Equal resources of one block are one source,
 * unless one purchase has a maximum, or each may choose its zone.
 *
 * @throws UsageError if several accounts fit
 */
export function sourcesOfPlan(
  plan: Plan,
  config: Config,
  narrowing: Narrowing,
): readonly AskedSource[] {
  const byKey = new Map<string, AskedSource>();
  for (const resource of createdResources(plan)) {
    const starter = starters[resource.type];
    if (starter === undefined) continue;
    const { address, block } = resource;
    const { count, launch } = starter(resource);
    if (count === 0) continue;
    const region = regionOf(launch) ?? resource.region ?? narrowing.region?.join(' ') ?? '';
    const source = placed({ name: address, region, launch, count }, config, narrowing);
    const isApart =
      !('isZoneNamed' in launch) || (launch.zone ?? '') === '' || launch.chargeType === 'prepaid';
    const key = isApart ? address : JSON.stringify([block, source.account, source.region, launch]);
    const same = byKey.get(key);
    const sum =
      same === undefined
        ? count
        : same.count === null || count === null
          ? null
          : same.count + count;
    byKey.set(key, { ...source, count: sum, name: same === undefined ? address : block });
  }
  return [...byKey.values()];
}

/** The source with its account; without one, it is not judged, and says so. */
function placed(source: UnplacedSource, config: Config, narrowing: Narrowing): AskedSource {
  const place = source.region === '' ? undefined : placesOf(config, narrowing, source);
  if (place !== undefined) return { ...source, account: place.account };
  const { groupId, templateId, templateName, version } = plainLaunch;
  const unjudged =
    source.region === ''
      ? 'nothing that is known before the apply names its region: name it with --region'
      : `no account of the configuration names ${source.region}`;
  const launch = { groupId, templateId, templateName, version, unjudged };
  return { ...source, account: '', launch };
}

function regionOf(launch: AskedSource['launch']): string | null {
  const zone = 'group' in launch ? launch.group.zones?.[0] : 'zone' in launch ? launch.zone : null;
  return zone ? regionOfZone(zone) : null;
}
