/**
 * Reads a plan of Terraform: the JSON of `terraform show -json`, and the values of the resources that it creates. A value is
 * set and known, set and known after the apply only ({@link knownLater}), or not set (left out). `asked-report.ts` reads the
 * plan, and `plan-launches.ts` makes launches of the resources.
 */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { printable } from '../api/response.ts';
import { messageOf } from '../model/errors.ts';
import { parseJson } from '../model/json.ts';
import { isMap, memberOf } from '../validation/always.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { configName } from './read-config.ts';

const mapSchema = z.record(z.string(), z.unknown());

const changeSchema = z.object({
  address: z.string(),
  module_address: z.string().default(''),
  type: z.string(),
  index: z.union([z.string(), z.number()]).optional(),
  change: z.object({
    actions: z.array(z.string()),
    after: mapSchema.nullish(),
    after_unknown: z.unknown().optional(),
  }),
});

const resourceSchema = z.object({
  type: z.string(),
  name: z.string(),
  provider_config_key: z.string().default(''),
  expressions: mapSchema.default({}),
});
type Resource = z.output<typeof resourceSchema>;

const moduleSchema = z.object({
  resources: z.array(resourceSchema).default([]),
  get module_calls() {
    return z.record(z.string(), z.object({ module: moduleSchema })).optional();
  },
});
type Module = z.output<typeof moduleSchema>;

const providerSchema = z.object({
  module_address: z.string().optional(),
  expressions: mapSchema.default({}),
});

const planSchema = z.object({
  errored: z.boolean().default(false),
  variables: z.record(z.string(), z.object({ value: z.unknown().optional() })).default({}),
  resource_changes: z.array(changeSchema).default([]),
  configuration: z.object({
    provider_config: z.record(z.string(), providerSchema).default({}),
    root_module: moduleSchema,
  }),
});
export type Plan = z.output<typeof planSchema>;

/** What tells a plan from other JSON, of any format version. */
const headSchema = z.object({ format_version: z.string(), planned_values: mapSchema });

/**
 * Reads the output of `terraform show -json PLAN`.
 *
 * @param file `-` for standard input
 * @throws InvalidFileError for a file that cannot be read, is no plan, or is one that cannot be judged
 */
export async function readPlan(file: string): Promise<Plan> {
  const invalid = (message: string) => new InvalidFileError(configName(file), message);
  const content = file === '-' ? buffer(process.stdin) : readFile(file);
  const bytes = await content.catch((error: unknown) => {
    throw invalid(`the plan cannot be read: ${messageOf(error)}`);
  });
  const json = parseJson(bytes.toString());
  const { data: head } = headSchema.safeParse(json);
  if (head === undefined) {
    throw invalid('this is no plan in JSON: write it with terraform show -json PLAN');
  }
  if (!/^1\.\d+$/.test(head.format_version)) {
    throw invalid('the format version of the plan is not 1.x, which is read');
  }
  const { data: plan } = planSchema.safeParse(json);
  if (plan === undefined) throw invalid('the plan lacks what every plan of format 1.x has');
  if (plan.errored) throw invalid('the plan is incomplete: terraform plan ended with an error');
  return plan;
}

/** The value of what is set, but known after the apply only. No schema of a value accepts it. */
export const knownLater = Symbol('known after the apply');

/** The values of a resource or of one of its blocks, by key. A key that is not set is left out. */
type Values = Readonly<Record<string, unknown>>;

/** A resource that a plan creates or replaces. */
export type CreatedResource = ReturnType<typeof createdResources>[number];

const maxAddressLength = 256;

/**
 * The resources that a plan creates or replaces, in its order.
 *
 * @param types the types of resources to return
 */
export function createdResources(plan: Plan, types: readonly string[]) {
  const { resource_changes: changes } = plan;
  const configured = new Map(resourcesOf(plan.configuration.root_module));
  const byAddress = new Map(changes.map((each) => [each.address, each]));
  const valuesOf = ({ address, change }: (typeof changes)[number]): Values => {
    // Of a resource that the configuration does not show, everything may be set: one expression stands for all its keys.
    const anyKey = { references: [] };
    const { expressions = anyKey } = configured.get(withoutKeys(address)) ?? {};
    const values = valuesIn(change.after, change.after_unknown, expressions);
    return isMap(values) ? values : {};
  };
  return changes
    .filter(({ change, type }) => types.includes(type) && change.actions.includes('create'))
    .map((created) => {
      const { change, index, module_address: module, type } = created;
      const resource = configured.get(withoutKeys(created.address));
      const valuesReferredTo = (key: string, ofType: string) => {
        const id = change.after?.[key];
        const names = referencesOf(resource?.expressions[key]);
        const named = names
          // Beside `a[1]`, Terraform names `a`.
          .filter((name) => !names.some((other) => other.startsWith(`${name}[`)))
          .map((name) => (module === '' ? name : `${module}.${name}`))
          // `a` often stands for `a[KEY]` with the key of this resource, as with `for_each`.
          .map((path) => byAddress.get(path) ?? byAddress.get(`${path}[${JSON.stringify(index)}]`));
        const isMeant = (other: (typeof changes)[number]) =>
          typeof id === 'string' ? other.change.after?.['id'] === id : named.includes(other);
        // If there are several, the apply tells which one is meant.
        const [found, ...others] = changes.filter((each) => each.type === ofType && isMeant(each));
        return found === undefined || others.length > 0 ? knownLater : valuesOf(found);
      };
      const address = printable(created.address, maxAddressLength);
      return {
        /** Printable, such as `module.web.tencentcloud_instance.this[0]`. */
        address,
        /** The address without the keys of `count` and `for_each`. */
        block: withoutKeys(address),
        type,
        values: valuesOf(created),
        /** The values of the resource of this type that a key refers to. {@link knownLater} for one that the plan does not have. */
        valuesOf: valuesReferredTo,
        /** The region of its provider. `null` if it is not in the plan. */
        region: providerRegion(plan, resource),
      };
    });
}

/** An address without the keys of `count` and `for_each`. */
const withoutKeys = (address: string) => address.replaceAll(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, '');

/**
 * What the configuration says of each resource, by its address without keys of `count` and `for_each`.
 *
 * @param path the address of the module with a dot at its end, empty for the root module
 */
function resourcesOf(module: Module, path = ''): readonly (readonly [string, Resource])[] {
  const direct = module.resources.map((one) => [`${path}${one.type}.${one.name}`, one] as const);
  const called = Object.entries(module.module_calls ?? {}).flatMap(([name, call]) =>
    resourcesOf(call.module, `${path}module.${name}.`),
  );
  return [...direct, ...called];
}

/** True for the expression of a value. False for a block: the expressions of its values are below their names. */
const isExpression = (value: unknown) =>
  isMap(value) && ('references' in value || 'constant_value' in value);

/** What an expression refers to, such as `var.region` or the address of a resource. */
function referencesOf(expression: unknown): readonly string[] {
  return z.array(z.string()).safeParse(memberOf(expression, 'references')).data ?? [];
}

/**
 * A value as the configuration sets it, without the keys that it does not set. The plan says of values that the provider may
 * choose that they are known after the apply, too: only an expression tells that the user has set them. Of `{ x: 1 }` with the
 * later `{ y: true, z: true }` and an expression for `x` and `y`, it is `{ x: 1, y: knownLater }`.
 *
 * @param later `true`, or a map or list with `true` for each member that is known after the apply
 * @param expression the expression of the value, or of a block the expressions by key
 * @returns `undefined` for a value that is not set
 */
function valuesIn(value: unknown, later: unknown, expression: unknown): unknown {
  if (later === true) return expression === undefined ? undefined : knownLater;
  const valueAt = (each: unknown, key: string | number) => {
    const ofKey = isExpression(expression) ? expression : memberOf(expression, key);
    return valuesIn(each, memberOf(later, key), ofKey);
  };
  if (Array.isArray(value)) return value.map(valueAt);
  if (!isMap(value)) return value ?? undefined;
  const all = { ...(isMap(later) && later), ...value };
  const entries = Object.keys(all).map((key) => [key, valueAt(value[key], key)] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}

/** The region of the provider of a resource. `null` if it is not in the plan. */
function providerRegion({ configuration, variables }: Plan, resource?: Resource): string | null {
  const provider = configuration.provider_config[resource?.provider_config_key ?? ''];
  const region = provider?.expressions['region'];
  // Only the variables of the root module are in the plan.
  const [reference = ''] = provider?.module_address === undefined ? referencesOf(region) : [];
  const [, variable = ''] = /^var\.([\w-]+)$/.exec(reference) ?? [];
  const value = memberOf(region, 'constant_value') ?? variables[variable]?.value;
  return typeof value === 'string' && value !== '' ? value : null;
}
