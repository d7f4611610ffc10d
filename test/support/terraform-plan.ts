/**
 * Plans of Terraform as `terraform show -json` writes them, from the schemas of the provider tencentcloudstack/tencentcloud:
 * what nobody sets is absent, or known after the apply where the provider may set it.
 */

/** A value that is known after the apply only: with an expression, as of a resource that the plan creates, or without one. */
const [later, computed] = ['<later>', '<computed>'];
const isUnknown = (value: unknown) => value === later || value === computed;

export interface PlannedResource {
  type: string;
  name?: string;
  index?: string | number;
  /** Such as `module.web["a.b"]`. */
  module?: string;
  actions?: string[];
  /** What the block says, and what the plan adds: a tree with {@link later} and {@link computed}. */
  values: object;
  /** What an expression refers to. */
  references?: Record<string, string[]>;
}

/** Resources by the names that {@link ResourceRow} gives them. */
export type Resources = Record<string, PlannedResource>;

/** Resources like another one. `set` replaces values, also within its blocks; `<unset>` takes one out. */
export interface ResourceRow extends Partial<PlannedResource> {
  of: string;
  set?: object;
  times?: number;
}

export function resourcesOf(all: Resources, rows: readonly ResourceRow[]): PlannedResource[] {
  return rows.flatMap(({ of, set = {}, times, ...more }) => {
    const like = all[of]!;
    const resource = { ...like, ...more, values: replaced(like.values, set) as object };
    if (times === undefined) return resource;
    return Array.from({ length: times }, (_, index) => ({ ...resource, index }));
  });
}

function replaced(value: unknown, by: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(by) && value.some(isMap)) {
    return by.map((each, i) => replaced(value[i], each));
  }
  if (!isMap(value) || !isMap(by)) return by;
  const all = { ...value, ...by };
  const entries = Object.keys(all).map((key) => {
    return [key, key in by ? replaced(value[key], by[key]) : value[key]] as const;
  });
  return Object.fromEntries(entries.filter(([, each]) => each !== '<unset>'));
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function mapped(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => mapped(each, leaf));
  if (!isMap(value)) return leaf(value);
  const entries = Object.entries(value).map(([key, each]) => [key, mapped(each, leaf)] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}

/** A list of blocks has expressions for each key, a list of values has one. */
function expressionsOf(value: unknown, references: readonly string[]): unknown {
  if (Array.isArray(value) && value.some(isMap)) {
    return value.map((each) => expressionsOf(each, references));
  }
  if (isMap(value)) {
    const entries = Object.entries(value).filter(([, each]) => each !== computed);
    return Object.fromEntries(entries.map(([key, each]) => [key, expressionsOf(each, references)]));
  }
  return value === later ? { references } : { constant_value: value };
}

const region = { expressions: { region: { references: ['var.region'] } } };

export function planOf(resources: readonly PlannedResource[], more: object = {}): string {
  const root = { resources: [] as object[], module_calls: {} as Record<string, object> };
  const changes = resources.map(
    ({ actions = ['create'], index, module = '', name = 'a', references = {}, type, values }) => {
      const calls = [...module.matchAll(/module\.(\w+)/g)].map(([, call]) => call!);
      const own = { type, name, provider_config_key: 'tencentcloud', mode: 'managed' };
      const configured = Object.entries(values).filter(([, value]) => value !== computed);
      const expressions = Object.fromEntries(
        configured.map(([key, value]) => [
          key,
          expressionsOf(value, references[key] ?? ['tencentcloud_vpc.new.id']),
        ]),
      );
      const target = calls.length === 0 ? root.resources : [];
      target.push({ address: `${type}.${name}`, ...own, expressions, schema_version: 1 });
      const [call] = calls;
      if (call !== undefined)
        root.module_calls[call] = { source: './m', module: { resources: target } };
      const key = index === undefined ? '' : `[${JSON.stringify(index)}]`;
      return {
        address: `${module === '' ? '' : `${module}.`}${type}.${name}${key}`,
        ...(module !== '' && { module_address: module }),
        ...(index !== undefined && { index }),
        ...{
          mode: 'managed',
          type,
          name,
          provider_name: 'registry.terraform.io/tencentcloudstack/tencentcloud',
        },
        change: {
          actions,
          before: null,
          after: mapped(values, (value) => (isUnknown(value) ? undefined : value)),
          after_unknown: mapped(values, (value) => (isUnknown(value) ? true : undefined)),
          after_sensitive: {},
        },
      };
    },
  );
  return JSON.stringify({
    ...{ format_version: '1.2', terraform_version: '1.11.4', planned_values: { root_module: {} } },
    variables: { region: { value: 'ap-guangzhou' } },
    resource_changes: changes,
    configuration: { provider_config: { tencentcloud: region }, root_module: root },
    errored: false,
    ...more,
  });
}
