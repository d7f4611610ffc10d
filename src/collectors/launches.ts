/** What the kinds that judge launches share: their keys, what default versions would start, and how they ask. */
import { z } from 'zod';
import { CodedError } from '../model/coded-error.ts';
import { chargeTypes, type ChargeType } from '../model/launch.ts';
import { uniqueBy } from '../validation/unique.ts';
import { launchTemplateEveryRegionKeys, launchTemplateRegionKeys } from './launch-template-keys.ts';
import { zoneName } from './place-names.ts';
import { quotaRegionKeys } from './quota/quota.ts';
import type { RegionProblem, RegionSettings } from './collector.ts';

const instanceTypeName = z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,31}\.[A-Za-z0-9-]{1,31}$/, {
  error: 'expected an instance type such as S5.LARGE8',
});

export const subnetId = z
  .string()
  .regex(/^subnet-[A-Za-z0-9]{1,60}$/, { error: 'expected a subnet ID such as subnet-bthucmmy' });

const chargeTypeKeys = {
  type: instanceTypeName.describe('Such as S5.LARGE8.'),
  charge_types: z
    .array(z.enum(chargeTypes))
    .min(1, { error: 'name at least one charge type, or omit the key' })
    .check(uniqueBy('charge type', (each) => each))
    .default(['postpaid', 'spotpaid'])
    .describe('How the instances are paid. Default: postpaid and spotpaid.'),
};

const subnets = z.array(subnetId).check(uniqueBy('subnet', (id) => id));

const placedType = z.strictObject({
  ...chargeTypeKeys,
  zones: z
    .array(zoneName)
    .min(1, { error: 'name at least one zone, or omit the key' })
    .check(uniqueBy('zone', (each) => each))
    .optional()
    .describe('Where they are started. Default: the zones of the region, or those that sell it.'),
  subnets: subnets
    .default([])
    .describe('Subnets of which one is enough, in each zone. Default: none is judged.'),
});

/** The elements may be invalid. */
const nameOfType = (each: unknown) =>
  typeof each === 'object' && each !== null && 'type' in each ? each.type : each;

function instanceTypes<S extends z.ZodType>(element: S) {
  return z
    .array(element)
    .check(uniqueBy('instance type', nameOfType))
    .default([])
    .describe(
      'Launches without a template, of auto scaling groups and node pools: instance types, or maps with charge_types, zones and subnets. Needs `launches: true`.',
    );
}

export const launchAccountKeys = z.object({
  launches: z
    .boolean()
    .default(false)
    .describe(
      'Whether stock and subnets of what the default versions would start are watched: will the next launch succeed?',
    ),
});

/** The keys that say what is started in a region. */
export const launchRegionKeys = z.object({
  ...quotaRegionKeys.shape,
  ...launchTemplateRegionKeys.shape,
  instance_types: instanceTypes(z.union([instanceTypeName, placedType])),
  subnets: subnets
    .default([])
    .describe('Further subnets whose free addresses are watched. Default: none.'),
});

/** Zones and subnets belong to one region, so they are no keys of every region. */
export const launchEveryRegionKeys = z.object({
  ...launchTemplateEveryRegionKeys.shape,
  instance_types: instanceTypes(z.union([instanceTypeName, z.strictObject(chargeTypeKeys)])),
});

export type LaunchRegionKeys = z.output<typeof launchRegionKeys>;
export type LaunchSettings = RegionSettings<z.output<typeof launchAccountKeys>, LaunchRegionKeys>;

/** The instance types of the configuration in one form. `zones` is `null` if none is named. */
export function configuredTypes({ instance_types }: LaunchRegionKeys) {
  return instance_types.map((each) => {
    const named = typeof each === 'string' ? placedType.parse({ type: each }) : each;
    const { charge_types, subnets: ids, type: instanceType, zones = null } = named;
    return { instanceType, chargeTypes: charge_types, zones, subnets: ids };
  });
}

/** Refuses a zone of another region. */
export function zonesOfTypes(name: string, keys: LaunchRegionKeys): readonly RegionProblem[] {
  return configuredTypes(keys).flatMap(({ zones }, i) =>
    (zones ?? []).flatMap((zone, at) => {
      const message = `is not a zone of ${name}; its zones begin with ${name}-`;
      const path = ['instance_types', i, 'zones', at];
      return zone.startsWith(`${name}-`) ? [] : [{ path, message }];
    }),
  );
}

/** Whether launches of the region are judged. */
export function areLaunchesJudged({ accountKeys, regionKeys }: LaunchSettings): boolean {
  const { instance_types, launch_templates: templates } = regionKeys;
  const areTemplatesWatched = !Array.isArray(templates) || templates.length > 0;
  return accountKeys.launches && (areTemplatesWatched || instance_types.length > 0);
}

/** The names of the charge types at the service. */
export const serviceChargeTypes: Readonly<Record<ChargeType, string>> = {
  postpaid: 'POSTPAID_BY_HOUR',
  prepaid: 'PREPAID',
  spotpaid: 'SPOTPAID',
};

/** The charge type with this name at the service. `null` for any other name. */
export function chargeTypeOf(name: string): ChargeType | null {
  return chargeTypes.find((each) => serviceChargeTypes[each] === name) ?? null;
}

/** Maximum number of names in a request. */
const maxNames = 100;

/** A name that the service refuses. */
export interface Refused {
  readonly name: string;
  readonly code: string;
}

/**
 * Asks about names, 100 at a time. One name that the service refuses spoils its whole request, so that is asked again
 * in halves: the name costs only itself.
 *
 * @param codes those of the error that a name can cause
 * @throws CodedError with any other code
 */
export async function askInHalves<T>(
  names: readonly string[],
  codes: readonly string[],
  ask: (names: readonly string[]) => Promise<T>,
): Promise<{ readonly answers: readonly T[]; readonly refused: readonly Refused[] }> {
  const answers: T[] = [];
  const refused: Refused[] = [];
  const waiting: (readonly string[])[] = [];
  for (let i = 0; i < names.length; i += maxNames) waiting.push(names.slice(i, i + maxNames));
  for (let some; (some = waiting.shift()) !== undefined;) {
    try {
      answers.push(await ask(some));
    } catch (error) {
      if (!(error instanceof CodedError) || !codes.includes(error.code)) throw error;
      const [name = '', ...others] = some;
      if (others.length === 0) refused.push({ name, code: error.code });
      else {
        const half = Math.ceil(some.length / 2);
        waiting.unshift(some.slice(0, half), some.slice(half));
      }
    }
  }
  return { answers, refused };
}
