/** The launches of a plan of Terraform: what the resources that it creates or replaces would start. */
import { z } from 'zod';
import { chargeTypeOf, disksOf, unjudgedChargeType } from '../collectors/launch-settings.ts';
import { printable } from '../api/response.ts';
import { printableText } from '../collectors/rows.ts';
import type { Config } from '../config/config.ts';
import type { AskedSource } from '../model/launches/asked.ts';
import type { Launch, ScalingGroup, UnjudgedLaunch } from '../model/launches/launch.ts';
import { InvalidFileError } from '../validation/problem.ts';
import {
  placesOf,
  plainLaunch,
  regionOfZone,
  type Narrowing,
  type UnplacedSource,
} from './asked-launches.ts';

const map = z.record(z.string(), z.unknown());

const changeSchema = z.object({
  address: z.string(),
  module_address: z.string().default(''),
  type: z.string(),
  name: z.string(),
  index: z.union([z.string(), z.number()]).optional(),
  change: z.object({
    actions: z.array(z.string()),
    after: map.nullish(),
    after_unknown: z.unknown().optional(),
  }),
});
type Change = z.output<typeof changeSchema>;

const resourceSchema = z.object({
  type: z.string(),
  name: z.string(),
  provider_config_key: z.string().default(''),
  expressions: map.default({}),
});
type Resource = z.output<typeof resourceSchema>;

interface Module {
  readonly resources: readonly Resource[];
  readonly module_calls: Readonly<Record<string, { readonly module: Module }>>;
}
const moduleSchema: z.ZodType<Module> = z.lazy(() =>
  z.object({
    resources: z.array(resourceSchema).default([]),
    module_calls: z.record(z.string(), z.object({ module: moduleSchema })).default({}),
  }),
);

const planSchema = z.object({
  errored: z.boolean().default(false),
  variables: z.record(z.string(), z.object({ value: z.unknown().optional() })).default({}),
  resource_changes: z.array(changeSchema).default([]),
  configuration: z.object({
    provider_config: z
      .record(
        z.string(),
        z.object({ module_address: z.string().optional(), expressions: map.default({}) }),
      )
      .default({}),
    root_module: moduleSchema,
  }),
});
type Plan = z.output<typeof planSchema>;

/**
 * Reads the output of `terraform show -json PLAN`.
 *
 * @param file the name in messages
 * @throws InvalidFileError for a text that is no plan, or one that cannot be judged
 */
export function readPlan(text: string, file: string): Plan {
  const wrong = (message: string) => new InvalidFileError(file, message);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw wrong('this is no JSON: write it with terraform show -json PLAN');
  }
  const { data: head } = z
    .object({ format_version: z.string(), planned_values: map })
    .safeParse(json);
  if (head === undefined) throw wrong('this is no plan: write it with terraform show -json PLAN');
  const { format_version: version } = head;
  if (!/^1\.\d+$/.test(version))
    throw wrong('the format version of the plan is not 1.x, which is read');
  const { data: plan } = planSchema.safeParse(json);
  if (plan === undefined) throw wrong('the plan lacks what every plan of format 1.x has');
  if (plan.errored) throw wrong('the plan is incomplete: terraform plan ended with an error');
  return plan;
}

/** A value of a resource: `undefined` if nothing sets it, `null` if it is set and known after the apply only. */
type Read = (...path: readonly (string | number)[]) => unknown;

const memberOf = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === String(key))?.[1]
    : undefined;

const isExpression = (value: unknown) =>
  memberOf(value, 'references') !== undefined || memberOf(value, 'constant_value') !== undefined;

/** The provider marks what it may set itself as known after the apply: only an expression tells whether the user set it. */
function readerOf({ change }: Change, resource: Resource | undefined): Read {
  return (...path) => {
    let [value, unknown, expression]: unknown[] = [
      change.after,
      change.after_unknown,
      resource?.expressions ?? { references: [] },
    ];
    for (const key of path) {
      value = memberOf(value, key);
      unknown = unknown === true ? true : memberOf(unknown, key);
      expression = isExpression(expression) ? expression : memberOf(expression, key);
    }
    if (unknown === true) return expression === undefined ? undefined : null;
    return value ?? undefined;
  };
}

/** Empty if nothing sets it, `null` if it is unknown, or no text that can be shown. */
function textOf(value: unknown): string | null {
  return value === undefined ? '' : (printableText.safeParse(value).data ?? null);
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Empty if nothing sets them, `null` if one is unknown. */
function textsOf(value: unknown): readonly string[] | null {
  const { data } = z.array(printableText).safeParse(value ?? (value === undefined ? [] : null));
  return data ?? null;
}

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
const starters: Readonly<
  Record<
    string,
    (read: Read, address: string, other: (key: string, type: string) => Read) => Started
  >
> = {
  tencentcloud_instance: (read) => {
    const placementGroup = read('placement_group_id');
    const single =
      placementGroup === undefined || placementGroup === ''
        ? []
        : placementGroup && [placementGroup];
    const groups = [read('disaster_recover_group_ids'), single];
    const disks = disksIn(read, 'data_disks', 'data_disk_type', []);
    return { launch: launchIn(read, [], disks, groups), count: 1 };
  },
  tencentcloud_kubernetes_scale_worker: (read) => {
    const groups = [read(...worker, 'disaster_recover_group_ids')];
    const launch = launchIn(read, worker, disksIn(read, 'data_disk', 'disk_type', worker), groups);
    const count = read(...worker, 'count');
    return { launch, count: count === undefined ? 1 : countOf(count) };
  },
  tencentcloud_kubernetes_node_pool: (read, address) => {
    const first = textOf(read(...pool, 'instance_type'));
    const others = textsOf(read(...pool, 'backup_instance_types'));
    const types = first === null || others === null ? null : [first, ...others];
    return groupIn(address, read, read, pool, types, undefined);
  },
  tencentcloud_as_scaling_group: (read, address, other) => {
    const configuration = other('configuration_id', 'tencentcloud_as_scaling_config');
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

/** Every value unknown: of a resource that is not in the plan. */
const nothingRead: Read = () => null;

/** An address without the keys of `count` and `for_each`. */
const withoutKeys = (address: string) => address.replaceAll(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, '');

/** Finds what the configuration says of a resource: once for each module and resource. */
function resourcesOf(module: Module, path = ''): readonly (readonly [string, Resource])[] {
  const own = module.resources.map((each) => [`${path}${each.type}.${each.name}`, each] as const);
  const called = Object.entries(module.module_calls);
  return [
    ...own,
    ...called.flatMap(([name, call]) => resourcesOf(call.module, `${path}module.${name}.`)),
  ];
}

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
  const resources = new Map(resourcesOf(plan.configuration.root_module));
  const readOf = (change: Change) => readerOf(change, resources.get(withoutKeys(change.address)));
  const byKey = new Map<string, AskedSource>();
  for (const change of plan.resource_changes) {
    const starter = change.change.actions.includes('create') ? starters[change.type] : undefined;
    if (starter === undefined) continue;
    const resource = resources.get(withoutKeys(change.address));
    const other = (key: string, type: string): Read => {
      const found = referredTo(plan, change, resource, key, type);
      return found === undefined ? nothingRead : readOf(found);
    };
    const address = printable(change.address, 256);
    const { count, launch } = starter(readOf(change), address, other);
    if (count === 0) continue;
    const region =
      regionOf(launch) ?? providerRegion(plan, resource) ?? narrowing.region?.join(' ') ?? '';
    const source = placed({ name: address, region, launch, count }, config, narrowing);
    const isApart =
      !('isZoneNamed' in launch) || (launch.zone ?? '') === '' || launch.chargeType === 'prepaid';
    const block = withoutKeys(address);
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

/** The region of the provider of a resource. `null` if it is not in the plan. */
function providerRegion(
  { configuration, variables }: Plan,
  resource: Resource | undefined,
): string | null {
  const provider = configuration.provider_config[resource?.provider_config_key ?? ''];
  const region = provider?.expressions['region'];
  const [reference] = textsOf(memberOf(region, 'references') ?? undefined) ?? [];
  const isOfRoot = provider?.module_address === undefined;
  const [, variable = ''] = /^var\.([\w-]+)$/.exec(isOfRoot ? (reference ?? '') : '') ?? [];
  const value = memberOf(region, 'constant_value') ?? variables[variable]?.value;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The resource of this type that a key of another one refers to, in the same module; of several, that with the same key. */
function referredTo(
  { resource_changes: changes }: Plan,
  from: Change,
  resource: Resource | undefined,
  key: string,
  type: string,
): Change | undefined {
  const ofType = changes.filter((each) => each.type === type);
  const id = memberOf(from.change.after, key);
  if (typeof id === 'string') return ofType.find(({ change }) => change.after?.['id'] === id);
  const references = textsOf(memberOf(resource?.expressions[key], 'references') ?? undefined) ?? [];
  const near = ofType.filter(({ address, module_address: module }) => {
    const own = module === '' ? address : address.slice(module.length + 1);
    return module === from.module_address && references.includes(withoutKeys(own));
  });
  const named = near.filter(({ address }) =>
    references.some((each) => each.endsWith(']') && address.endsWith(each)),
  );
  const sameKey = near.filter(({ index }) => index === from.index);
  const [found, ...others] = named.length > 0 ? named : near.length > 1 ? sameKey : near;
  return others.length === 0 ? found : undefined;
}
