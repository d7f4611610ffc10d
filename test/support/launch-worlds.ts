/**
 * Random worlds of launches: a configuration, and what the service says in some cycles, odd values and failures
 * included. The same seed makes the same world.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { FaultRuleInput, ScenarioInput } from '../../src/emulator/emulator.ts';
import type { RegionInput } from './emulator.ts';
import type { RegionConfig } from './launch-answers.ts';
import { Random } from './random.ts';

export interface World {
  readonly seed: number;
  readonly site: 'domestic' | 'international';
  readonly regions: readonly RegionConfig[];
  readonly quota_types: string[];
  readonly overrides: RegionConfig['overrides'];
  readonly stale_after: string;
  /** What the service says in one cycle after the other. */
  readonly moments: readonly Moment[];
}

export interface Moment {
  readonly scenario: ScenarioInput;
  readonly faults: readonly FaultRuleInput[];
  /** Answers that are given otherwise than the scenario says. */
  readonly edits: readonly Edit[];
}

/** A change of the rows of an answer. */
export interface Edit {
  readonly operation: string;
  readonly region: string;
  /** The list of rows in the answer. */
  readonly set: string;
  readonly change: (rows: Row[]) => unknown;
}

// oxlint-disable-next-line typescript/no-explicit-any
type Row = any;

const cpus: Readonly<Record<string, number>> = {
  'S5.LARGE8': 2,
  'S6.XLARGE8': 4,
  'SA2.MEDIUM4': 3,
};
const types = Object.keys(cpus);
const subnetIds = ['subnet-aaaaaaa1', 'subnet-aaaaaaa2', 'subnet-aaaaaaa3'];
const templateIds = ['lt-aaaaaaa1', 'lt-aaaaaaa2'];
const chargeTypes = ['postpaid', 'prepaid', 'spotpaid'] as const;
const quotaSets = ['PostPaidQuotaSet', 'PrePaidQuotaSet', 'SpotPaidQuotaSet'];
const levels = ['EnoughStock', 'EnoughStock', 'NormalStock', 'UnderStock', 'WithoutStock'] as const;

const placementGroupIds = ['ps-aaaaaaa1', 'ps-aaaaaaa2'];
const configurationIds = ['asc-aaaaaaa1', 'asc-aaaaaaa2'];
const scalingGroupIds = ['asg-aaaaaaa1', 'asg-aaaaaaa2'];
const diskTypes = ['CLOUD_BSSD', 'CLOUD_PREMIUM'] as const;

export function worldOf(seed: number): World {
  const random = new Random(seed);
  const site = random.chance(0.08) ? 'international' : 'domestic';
  const names = random.chance(0.1) ? ['ap-guangzhou', 'ap-shanghai'] : ['ap-guangzhou'];
  const quota_types = random.chance(0.75)
    ? [...chargeTypes, 'image']
    : someOf(random, [...chargeTypes, 'image'], 0.5);
  const overrides = overridesOf(random);
  const zones = names.map((name) =>
    [1, 2, 3].slice(0, random.integer(1, 3)).map((n) => `${name}-${n}`),
  );
  const regions = names.map((name, i) => ({
    ...configOf(random, zones[i]!),
    name,
    quota_types: site === 'international' ? [] : quota_types,
    overrides,
  }));
  let inputs = names.map((name, i) => regionOf(random, name, zones[i]!));
  const moments: Moment[] = [];
  for (let n = random.integer(2, 3); n > 0; n -= 1) {
    const accounts = [{ name: 'production', regions: inputs }];
    const isQuiet = random.chance(0.3);
    moments.push({
      scenario: { site, requests_per_second: 1_000_000, accounts },
      faults: isQuiet ? [] : names.flatMap((region) => faultsOf(random, region)),
      edits: isQuiet ? [] : names.flatMap((region) => editsOf(random, region)),
    });
    inputs = inputs.map((input, i) =>
      changed(random, input, regionOf(random, input.name, zones[i]!)),
    );
  }
  const stale_after = random.pick(['10m', '1d']);
  return { seed, site, regions, quota_types, overrides, stale_after, moments };
}

function someOf<T>(random: Random, all: readonly T[], probability: number): T[] {
  return all.filter(() => random.chance(probability));
}

function atLeastOneOf<T>(random: Random, all: readonly T[], probability: number): T[] {
  const some = someOf(random, all, probability);
  return some.length > 0 ? some : [random.pick(all)];
}

function configOf(random: Random, zones: string[]) {
  const entries = someOf(random, types, 0.35).map((type) => ({
    type,
    ...(random.chance(0.4) && { zones: atLeastOneOf(random, zones, 0.5) }),
    ...(random.chance(0.6) && { charge_types: atLeastOneOf(random, chargeTypes, 0.4) }),
    ...(random.chance(0.5) && { subnets: atLeastOneOf(random, subnetIds, 0.4) }),
  }));
  return {
    ...(random.chance(0.3) && { zones: atLeastOneOf(random, zones, 0.6) }),
    launch_templates: random.chance(0.3)
      ? ('all' as const)
      : atLeastOneOf(random, templateIds, 0.7),
    instance_types: entries,
    ...(random.chance(0.4) && { scaling_groups: someOf(random, scalingGroupIds, 0.6) }),
  };
}

function overridesOf(random: Random): RegionConfig['overrides'] {
  const all = [
    { quota_types: ['postpaid'], muted: true },
    { launch_templates: [random.pick(templateIds)], warning: 5, critical: 1 },
    { launch_templates: [random.pick(templateIds)], muted: true },
    { charge_types: [random.pick(chargeTypes)], muted: true },
    { subnets: [random.pick(subnetIds)], muted: true },
    { scaling_groups: [random.pick(scalingGroupIds)], muted: true },
    { placement_groups: [random.pick(placementGroupIds)], muted: true },
  ];
  return someOf(random, all, 0.12);
}

/** Values that no field should have. */
const oddValues = [null, 7, -1, 1.5, 'x', 'bad\u0007', true, [], {}, ['x']];

const file = join(import.meta.dirname, 'fixtures/launches/odd-values.yaml');
const oddFields: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = parse(
  readFileSync(file, 'utf8'),
);

/** The overrides of a row of the emulator: mostly none. */
function oddOf(random: Random, kind: string) {
  if (!random.chance(0.1)) return {};
  const fields = oddFields[kind]!;
  const name = random.pick(Object.keys(fields));
  if (random.chance(0.25)) return { omit: [name] };
  return { fields: { [name]: random.pick([...oddValues, ...fields[name]!, ...fields[name]!]) } };
}

function regionOf(random: Random, name: string, zones: readonly string[]): RegionInput {
  const ids = random.chance(0.8) ? templateIds : someOf(random, templateIds, 0.6);
  return {
    name,
    zones: zones.map((zone) => zoneOf(random, zone)),
    image: { used: 4, limit: 10 },
    disaster_recover_group: { used: 3, limit: 10 },
    subnets: someOf(random, subnetIds, 0.9).map((id) => subnetOf(random, id, zones)),
    launch_templates: ids.map((id) => templateOf(random, id, zones)),
    placement_groups: someOf(random, placementGroupIds, 0.85).map((id) => ({
      ...{ id, used: random.pick([0, 1, 50]), limit: random.pick([0, 2, 50]) },
      ...oddOf(random, 'placementGroup'),
    })),
    disks: diskTypes.flatMap((type) =>
      someOf(random, zones, 0.2).map((zone) => ({
        ...{ type, zone, availability: random.pick(['sold-out', 'not-offered'] as const) },
        ...oddOf(random, 'disk'),
      })),
    ),
    launch_configurations: configurationIds.map((id) => configurationOf(random, id)),
    scaling_groups: someOf(random, scalingGroupIds, 0.9).map((id) => groupOf(random, id, zones)),
  };
}

function configurationOf(random: Random, id: string) {
  const paid = random.pick(['POSTPAID_BY_HOUR', 'POSTPAID_BY_HOUR', 'PREPAID', 'SPOTPAID']);
  const odd = oddOf(random, 'configuration');
  return {
    ...{ id, instance_types: atLeastOneOf(random, types, 0.5), ...odd },
    fields: {
      InstanceChargeType: paid,
      // The service refuses a request about a malformed type.
      ...(random.chance(0.05) && { InstanceTypes: random.pick([null, [], 7, [types[0]]]) }),
      ...diskFieldsOf((usual) => random.pick(usual)),
      ...odd.fields,
    },
  };
}

function groupOf(random: Random, id: string, zones: readonly string[]) {
  const isPlain = random.chance(0.7);
  const hasVpc = random.chance(0.7);
  const odd = oddOf(random, 'group');
  return {
    ...{ id, launch_configuration: random.pick(configurationIds), ...odd },
    ...{ max_size: random.pick([5, 30, 90]), desired_capacity: random.pick([0, 3, 5]) },
    instances: random.pick([0, 1, 5]),
    fields: {
      SubnetIdSet: hasVpc ? someOf(random, subnetIds, 0.6) : [],
      ZoneSet: hasVpc ? [] : atLeastOneOf(random, zones, 0.6),
      InstanceAllocationPolicy: isPlain ? 'LAUNCH_CONFIGURATION' : 'SPOT_MIXED',
      SpotMixedAllocationPolicy: random.pick([
        null,
        { CompensateWithBaseInstance: random.pick([true, null, 'x']) },
        ...[0, 25, 100].map((OnDemandPercentageAboveBaseCapacity) => ({
          ...{ CompensateWithBaseInstance: false, OnDemandPercentageAboveBaseCapacity },
          BaseCapacity: random.pick([0, 2, 2, 'x']),
        })),
      ]),
      ...odd.fields,
    },
  };
}

/** The fields of a version or a configuration about disks and placement groups. */
function diskFieldsOf<T>(pick: (usual: readonly unknown[]) => T) {
  const [first, second] = diskTypes;
  return {
    SystemDisk: pick([
      null,
      {},
      { DiskType: first },
      { DiskType: second },
      { DiskType: 'LOCAL_SSD' },
    ]),
    DataDisks: pick([null, [], [], [{ DiskType: second }], [{ DiskType: first }, {}]]),
    DisasterRecoverGroupIds: pick([null, [], [], [placementGroupIds[0]], placementGroupIds]),
  };
}

function zoneOf(random: Random, name: string) {
  const quotas = someOf(random, chargeTypes, 0.93).map((type) => [type, quotaOf(random, type)]);
  return {
    name,
    ...Object.fromEntries(quotas),
    instance_types: someOf(random, types, 0.75).flatMap((type) =>
      someOf(random, chargeTypes, 0.8).map((charge) => ({
        type,
        cpu: cpus[type]!,
        memory: 8,
        charge_types: [charge],
        stock: random.pick(levels),
        ...oddOf(random, 'stock'),
      })),
    ),
  };
}

function quotaOf(random: Random, type: string) {
  const limit = random.pick([0, 3, 20, 100, 600, 1000]);
  const used = random.pick([0, 0, 1, limit, limit + 2, Math.floor(limit / 2)]);
  return {
    used,
    limit,
    ...(type === 'prepaid' && random.chance(0.7) && { once_limit: random.pick([0, 1, 5, 700]) }),
    ...oddOf(random, 'quota'),
  };
}

function subnetOf(random: Random, id: string, zones: readonly string[]) {
  const block = random.chance(0.4) && { fields: { Ipv6CidrBlock: 'fd00::/64' } };
  const odd = oddOf(random, 'subnet');
  const available = random.pick([0, 1, 2, 30, 200, 1000]);
  return { id, zone: random.pick(zones), total: 1000, available, ...block, ...odd };
}

function templateOf(random: Random, id: string, zones: readonly string[]) {
  const versions = [1, 2, 3].slice(0, random.integer(1, 3));
  const default_version = random.pick(versions);
  return {
    id,
    default_version,
    versions: versions.map((version) => ({
      version,
      data: dataOf(random, zones),
      ...(random.chance(0.5) && oddOf(random, 'version')),
    })),
    ...(random.chance(0.1) && {
      fields: { DefaultVersionNumber: random.pick([1, 2, 3, null, 'x']) },
    }),
  };
}

/** The LaunchTemplateVersionData of a version. The emulator has a value for each field that is not in it. */
function dataOf(random: Random, zones: readonly string[]): Record<string, unknown> {
  const odd = (usual: readonly unknown[], ...others: readonly unknown[]) =>
    random.chance(0.08) ? random.pick([...oddValues, ...others]) : random.pick(usual);
  const oddType = odd(types, undefined);
  const zone = { Zone: odd(zones, 'ap-tokyo-1') };
  const subnet = { SubnetId: odd(subnetIds), Ipv6AddressCount: odd([0, 0, 0, undefined, 1]) };
  return {
    // The service refuses a request about a malformed type.
    InstanceType: oddType === 'x' ? types[0] : oddType,
    InstanceChargeType: odd(
      ['POSTPAID_BY_HOUR', 'POSTPAID_BY_HOUR', 'PREPAID', 'SPOTPAID', null, undefined],
      'CDHPAID',
      'CDCPAID',
      'NEWPAID',
    ),
    InstanceCount: odd([1, 1, 1, 2, 30, 500, 501, undefined]),
    Placement: odd([zone, zone, {}, null, undefined]),
    VirtualPrivateCloud: odd([subnet, subnet, {}, null, undefined]),
    ...diskFieldsOf((usual) => odd(usual)),
  };
}

/** A region of which some things became as those of another one. */
function changed(random: Random, before: RegionInput, other: RegionInput): RegionInput {
  if (random.chance(0.35)) return before;
  const mix = <T>(
    own: readonly T[] = [],
    others: readonly T[] = [],
    keyOf: (value: T) => string,
  ) => {
    const keys = new Set([...own, ...others].map(keyOf));
    return [...keys].flatMap((key) => {
      const from = random.chance(0.2) ? others : own;
      return from.filter((each) => keyOf(each) === key);
    });
  };
  const zones = (before.zones ?? []).map((zone, i) => {
    const otherZone = other.zones?.[i];
    const quotas = random.chance(0.3) ? otherZone : zone;
    const stock = mix(
      zone.instance_types,
      otherZone?.instance_types,
      ({ type, charge_types: charges = [] }) => `${type} ${charges.join()}`,
    );
    return { ...quotas, name: zone.name, instance_types: stock };
  });
  return {
    ...before,
    zones,
    subnets: mix(before.subnets, other.subnets, ({ id }) => id),
    launch_templates: mix(before.launch_templates, other.launch_templates, ({ id }) => id),
    placement_groups: mix(before.placement_groups, other.placement_groups, ({ id }) => id),
    disks: random.chance(0.4) ? (other.disks ?? []) : (before.disks ?? []),
    launch_configurations: mix(
      before.launch_configurations,
      other.launch_configurations,
      ({ id }) => id,
    ),
    scaling_groups: mix(before.scaling_groups, other.scaling_groups, ({ id }) => id),
  };
}

function faultsOf(random: Random, region: string): FaultRuleInput[] {
  const operations = [
    'DescribeAccountQuota',
    'DescribeLaunchTemplates',
    'DescribeSubnets',
    'DescribeZoneInstanceConfigInfos',
    'DescribeAutoScalingGroups',
    'DescribeLaunchConfigurations',
    'DescribeDiskConfigQuota',
    'DescribeDisasterRecoverGroups',
  ] as const;
  const broken = someOf(random, operations, 0.07).map((operation) => ({ operation }));
  const templates = someOf(random, templateIds, 0.07).map((template_id) => ({
    operation: 'DescribeLaunchTemplateVersions' as const,
    template_id,
  }));
  const prices = someOf(random, refusals, 0.02).map((code): FaultRuleInput => {
    return { operation: 'InquiryPriceRunInstances', region, effect: 'error', code };
  });
  const failing = [...broken, ...templates].map((which) => {
    return { region, ...which, ...effectOf(random) };
  });
  return [...prices, ...failing];
}

/** Codes of all classes. */
const refusals = [
  ...['InvalidImageId.NotFound', 'InvalidParameterValue.InvalidImageState', 'InternalError'],
  ...['ResourcesSoldOut.SpecifiedInstanceType', 'ResourceUnavailable.InstanceType'],
  ...['ResourceInsufficient.DisasterRecoverGroupCvmQuota', 'InstancesQuotaLimitExceeded'],
  'UnauthorizedOperation',
];

function effectOf(random: Random): FaultRuleInput {
  const code = random.pick([
    ...['InternalError', 'UnsupportedOperation', 'UnsupportedRegion'],
    ...['UnauthorizedOperation', 'UnauthorizedOperation.CamNoAuth'],
  ]);
  return random.pick<FaultRuleInput>([
    { effect: 'error', code },
    { effect: 'http-status', status: 502 },
    {
      effect: 'http-status',
      status: 200,
      content_type: 'application/json',
      body: '{"Response":{}}',
    },
  ]);
}

function editsOf(random: Random, region: string): Edit[] {
  const set = random.pick(quotaSets);
  /** One row stands twice, perhaps with another content, in one order or the other. */
  const twice = (other: Row) => (rows: Row[]) => {
    if (rows.length === 0) return rows;
    const row = rows[0];
    return [...rows, { ...row, ...other }];
  };
  const odd = (): ((rows: Row[]) => unknown) =>
    random.pick([() => [], () => null, () => 5, () => undefined]);
  const others: [operation: string, set: string, ...rows: Row[]][] = [
    ['DescribeAccountQuota', set, { RemainingQuota: 0 }],
    [
      ...([
        'DescribeZoneInstanceConfigInfos',
        'InstanceTypeQuotaSet',
        { Status: 'SOLD_OUT' },
      ] as const),
      { Status: 'SELL', StatusCategory: 'EnoughStock' },
    ],
    ['DescribeSubnets', 'SubnetSet', { AvailableIpAddressCount: 0 }],
  ];
  const edits = [
    ...others.flatMap(([operation, set, ...rows]) => [
      { operation, set, change: twice(random.pick([{}, ...rows])) },
      { operation, set, change: odd() },
    ]),
    {
      operation: 'DescribeLaunchTemplateVersions',
      set: 'LaunchTemplateVersionSet',
      change: () => [],
    },
  ];
  return someOf(random, edits, 0.05).map((edit) => ({ region, ...edit }));
}
