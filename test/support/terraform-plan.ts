/**
 * Plans of Terraform as `terraform show -json` writes them, from the schemas of the provider tencentcloudstack/tencentcloud:
 * what nobody sets is absent, or known after the apply where the provider may set it.
 */

/** A value that is known after the apply only: with an expression, as of a resource that the plan creates, or without one. */
export const [later, computed] = [Symbol('set, but known later'), Symbol('the provider sets it')];

export interface PlannedResource {
  type: string;
  name?: string;
  index?: string | number;
  /** Such as `module.web["a.b"]`. */
  module?: string;
  actions?: string[];
  /** What the block says, and what the plan adds: a tree with {@link later} and {@link computed}. */
  values: Record<string, unknown>;
  /** What an expression refers to. */
  references?: Record<string, string[]>;
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
          after: mapped(values, (value) => (typeof value === 'symbol' ? undefined : value)),
          after_unknown: mapped(values, (value) => (typeof value === 'symbol' ? true : undefined)),
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
