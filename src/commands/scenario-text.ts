/** The text of `check --output=scenario`: what was read, as a scenario of the emulator, to rehearse alerts on own figures. */
import { stringify } from 'yaml';
import {
  isTemplateRecord,
  type LaunchTemplateRecord,
} from '../collectors/launch-template/launch-template.ts';
import type { AccountQuota } from '../collectors/quota/answer.ts';
import { collectors } from '../collectors/collectors.ts';
import { serviceChargeTypes } from '../collectors/launch-settings.ts';
import { isQuotaRecord } from '../collectors/quota/quota.ts';
import { groupByRegion } from '../expose/evaluation.ts';
import type { ScenarioInput } from '../emulator/scenario/scenario.ts';
import { diskTypes, stockLevels } from '../emulator/scenario/vocabulary.ts';
import type {
  DiskRow,
  LaunchConfiguration,
  LaunchDisk,
  ScalingGroup,
  StockRow,
} from '../model/launches/launch.ts';
import type { TargetRecord } from '../model/record.ts';

type Account = ScenarioInput['accounts'][number];
type Region = NonNullable<Account['regions']>[number];
type Zone = NonNullable<Region['zones']>[number];
type InstanceType = NonNullable<Zone['instance_types']>[number];
type Disk = NonNullable<Region['disks']>[number];

const head = `# Quotas, launch templates, scaling groups and what they need, as check has read them, for: cvm-quota-monitor emulate --scenario=FILE
# The first account takes requests without a key. Names, descriptions and user data are left out.
`;

/**
 * The scenario of the quotas, launch templates and scaling groups in records, with the stock, disks, subnets and placement
 * groups that launches need. Names, descriptions and the rest of the data of templates are left out.
 *
 * @returns YAML
 */
export function scenarioText(records: readonly TargetRecord[]): string {
  const regions = groupByRegion(records, ({ target }) => target);
  const names = [...new Set(regions.map(({ account }) => account))];
  // Only one account of a scenario can be without a key: the first.
  const accounts = names.map((name, i): Account => {
    const ofAccount = regions.filter(({ account }) => account === name);
    const snapshots = ofAccount.flatMap(({ items }) => items).map((item) => item.observed.snapshot);
    return {
      name,
      app_id: snapshots.flatMap((snapshot) => snapshot?.appId ?? []).find((id) => id > 0),
      keys: i > 0 ? [{ secret_id: `rehearsal-${i}`, secret_key: 'rehearsal' }] : undefined,
      regions: ofAccount.map(({ items, region }) => regionOf(region, items)),
    };
  });
  return head + stringify({ accounts } satisfies ScenarioInput, { lineWidth: 0 });
}

/** @param records those of the region */
function regionOf(name: string, records: readonly TargetRecord[]): Region {
  const quotas = records
    .filter(isQuotaRecord)
    .flatMap(({ observed }) => observed.snapshot?.quotas ?? []);
  const facts = records.map((record) => collectors.launchFacts(record, true));
  const stock = facts.flatMap((each) => each.stock?.rows ?? []);
  const resourceQuotas = facts.flatMap((each) => each.quotas);
  const subnets = resourceQuotas.flatMap(({ labels, limit: total, remaining, zone }) => {
    const id = labels?.['subnet_id'];
    return id && zone !== null && remaining !== null
      ? [{ id, zone, total, available: remaining }]
      : [];
  });
  const placementGroups = resourceQuotas.flatMap(({ labels, limit, used }) => {
    const id = labels?.['placement_group_id'];
    return id && used !== null ? [{ id, used, limit }] : [];
  });
  const configurations = facts
    .flatMap((each) => each.configurations ?? [])
    .filter(({ instanceTypes }) => instanceTypes !== null);
  const groups = facts
    .flatMap((each) => each.groups ?? [])
    .filter(({ configurationId }) => configurations.some(({ id }) => id === configurationId));
  const zones = new Set([...quotas, ...stock].flatMap(({ zone }) => zone ?? []));
  /** By type, the quotas of a zone, or for `null` those of the whole region. */
  const quotasOf = (zoneName: string | null) =>
    Object.fromEntries(
      quotas.filter(({ zone }) => zone === zoneName).map((quota) => [quota.type, quotaOf(quota)]),
    );
  return {
    name,
    zones: [...zones].map((zone): Zone => ({
      name: zone,
      ...quotasOf(zone),
      instance_types: stock.filter((row) => row.zone === zone).flatMap(offerOf),
    })),
    ...quotasOf(null),
    subnets,
    placement_groups: placementGroups,
    disks: facts.flatMap(({ disks }) => (disks ? disksOf(disks.rows) : [])),
    launch_configurations: configurations.map(configurationOf),
    scaling_groups: groups.flatMap((group) => groupOf(group, subnets)),
    launch_templates: records.filter(isTemplateRecord).flatMap(templateOf),
  };
}

/** An unknown use counts as 0. */
function quotaOf({ instanceLimits, limit, onceLimit, remaining, used }: AccountQuota): object {
  const isDifference = remaining === limit - (used ?? 0);
  const hasLimits = instanceLimits && !Object.values(instanceLimits).includes(null);
  return {
    used: used ?? 0,
    limit,
    ...(typeof onceLimit === 'number' && { once_limit: onceLimit }),
    // The emulator answers with the difference, and the service sometimes with another number.
    ...(!isDifference && { fields: { RemainingQuota: remaining } }),
    ...(hasLimits && { instances_per_group: instanceLimits }),
  };
}

/** The template of a record. None if its default version is unknown, which a scenario cannot say. */
function templateOf({ observed: { snapshot }, target }: LaunchTemplateRecord) {
  if (snapshot === null || snapshot.defaultVersion === null) return [];
  const { defaultVersion: started, versions } = snapshot;
  const { chargeType, imageId, instanceType, subnet, zone } = started;
  const fields = { ImageId: imageId, InstanceType: instanceType, InstanceChargeType: chargeType };
  const data = {
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value)),
    ...(zone && { Placement: { Zone: zone } }),
    ...(subnet && { VirtualPrivateCloud: { SubnetId: subnet } }),
    InstanceCount: started.count ?? 1,
    ...disksAndGroupsOf(started),
  };
  const id = target.resource.template_id;
  const listed = versions.map((version) =>
    version === started.version ? { version, data } : version,
  );
  return [{ id, default_version: started.version, versions: listed }];
}

/** The offer of an instance type with its stock, or none without vCPUs. Its memory is not read: 1 GB stands for it. */
function offerOf({ chargeType, cpu, instanceType: type, level, sells }: StockRow): InstanceType[] {
  if (cpu === null) return [];
  // Level 3 is the best, and so is the first of `stockLevels`. An unknown level counts as the best one.
  const stock = sells === false ? 'WithoutStock' : stockLevels[3 - (level ?? 3)];
  return [{ type, charge_types: [chargeType], cpu, memory: 1, stock }];
}

/** The offers of the disks that launches need. Before them, each type is not offered: nothing was read of other disks. */
function disksOf(rows: readonly DiskRow[]): Disk[] {
  const notOffered = diskTypes.map((type): Disk => ({ type, availability: 'not-offered' }));
  const offered = rows.flatMap((row): Disk[] => {
    const type = diskTypes.find((each) => each === row.type);
    if (type === undefined) return [];
    const { chargeType, family, isAvailable, usage, zone } = row;
    const disk: Disk = {
      type,
      zone,
      usage,
      charge_type: chargeType,
      instance_family: family,
      availability: isAvailable === false ? 'sold-out' : 'available',
      fields: isAvailable === null ? { Available: null } : undefined,
    };
    return [disk];
  });
  return [...notOffered, ...offered];
}

/** The disks and placement groups of a version or a launch configuration, as fields of the service. */
function disksAndGroupsOf({
  disks,
  placementGroups,
}: Pick<LaunchConfiguration, 'disks' | 'placementGroups'>) {
  const ofUsage = (usage: LaunchDisk['usage']) =>
    (disks ?? []).flatMap((disk) => (disk.usage === usage ? { DiskType: disk.type } : []));
  return {
    SystemDisk: ofUsage('SYSTEM_DISK')[0] ?? {},
    DataDisks: ofUsage('DATA_DISK'),
    DisasterRecoverGroupIds: [...(placementGroups ?? [])],
  };
}

/** A launch configuration. Its instance types are known. */
function configurationOf({ chargeType, id, instanceTypes, status, ...rest }: LaunchConfiguration) {
  return {
    id,
    instance_types: [...(instanceTypes ?? [])],
    fields: {
      LaunchConfigurationStatus: status,
      ...(chargeType !== null && { InstanceChargeType: serviceChargeTypes[chargeType] }),
      ...disksAndGroupsOf(rest),
    },
  };
}

/**
 * A scaling group with those of its subnets that are among the `found` ones. None if its launch configuration or sizes are
 * unknown, which a scenario cannot say.
 */
function groupOf(
  { configurationId, desiredCapacity, instances, maxSize, mixed, ...group }: ScalingGroup,
  found: readonly { readonly id: string }[],
) {
  if (configurationId === null || maxSize === null || instances === null) return [];
  const subnets = group.subnets?.filter((id) => found.some((subnet) => subnet.id === id)) ?? [];
  const policy = mixed && {
    InstanceAllocationPolicy: 'SPOT_MIXED',
    SpotMixedAllocationPolicy: {
      CompensateWithBaseInstance: mixed.isCompensated,
      BaseCapacity: mixed.base,
      OnDemandPercentageAboveBaseCapacity: mixed.percentage,
    },
  };
  const scalingGroup = {
    id: group.id,
    launch_configuration: configurationId,
    enabled: group.isEnabled === true,
    min_size: group.minSize ?? 0,
    max_size: maxSize,
    instances,
    desired_capacity: desiredCapacity ?? group.minSize ?? 0,
    subnets,
    zones: [...(group.zones ?? [])],
    fields: { AutoScalingGroupStatus: group.status, ...policy },
  };
  return [scalingGroup];
}
