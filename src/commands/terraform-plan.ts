/** A plan of Terraform: the JSON of `terraform show -json`, and what it says of the values of its resources. */
import { z } from 'zod';
import { printable } from '../api/response.ts';
import { printableText } from '../collectors/rows.ts';
import { InvalidFileError } from '../validation/problem.ts';

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
export type Plan = z.output<typeof planSchema>;

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
export type Read = (...path: readonly (string | number)[]) => unknown;

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
export function textOf(value: unknown): string | null {
  return value === undefined ? '' : (printableText.safeParse(value).data ?? null);
}

/** `null` for anything but a number from 0 on. */
export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Empty if nothing sets them, `null` if one is unknown. */
export function textsOf(value: unknown): readonly string[] | null {
  const { data } = z.array(printableText).safeParse(value ?? (value === undefined ? [] : null));
  return data ?? null;
}

/** A resource that a plan creates, or creates anew. */
export interface CreatedResource {
  /** Printable, such as `module.web.tencentcloud_instance.this[0]`. */
  readonly address: string;
  /** The address without the keys of `count` and `for_each`. */
  readonly block: string;
  readonly type: string;
  readonly read: Read;
  /** Reads the resource of this type that a key of this one refers to. Every value of one that the plan has not is unknown. */
  readonly readOther: (key: string, type: string) => Read;
  /** The region of its provider. `null` if it is not in the plan. */
  readonly region: string | null;
}

export function createdResources(plan: Plan): readonly CreatedResource[] {
  const resources = new Map(resourcesOf(plan.configuration.root_module));
  const resourceOf = (change: Change) => resources.get(withoutKeys(change.address));
  const created = plan.resource_changes.filter(({ change }) => change.actions.includes('create'));
  return created.map((change) => {
    const resource = resourceOf(change);
    const address = printable(change.address, maxAddressLength);
    return {
      ...{ address, block: withoutKeys(address), type: change.type },
      read: readerOf(change, resource),
      readOther: (key, type) => {
        const other = referredTo(plan, change, resource, key, type);
        return other === undefined ? () => null : readerOf(other, resourceOf(other));
      },
      region: providerRegion(plan, resource),
    };
  });
}

const maxAddressLength = 256;

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
