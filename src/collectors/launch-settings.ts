/**
 * What the kinds about launches share: which launches the configuration names and judges, the names of charge types at the
 * service, and the fields of disks.
 */
import { z } from 'zod';
import {
  chargeTypes,
  type ChargeType,
  type LaunchDisk,
  type ScalingGroup,
} from '../model/launches/launch.ts';
import type { TargetFacts } from '../model/launches/region-facts.ts';
import type { RegionProblem, RegionSettings } from './collector.ts';
import type { LaunchKeys } from './keys.ts';
import { field, printableText, uniqueBy } from './rows.ts';

export type LaunchSettings = RegionSettings<LaunchKeys>;
type AccountKeys = LaunchSettings['accountKeys'];
type RegionKeys = LaunchSettings['regionKeys'];

/**
 * Two members of a kind, for its collector to spread: `asksNothing` and `details` (the first five names).
 *
 * @param namesIn the names that a target asks about: IDs, types or zones. Some may be repeated
 */
export const asksAbout = <T>(namesIn: (target: T) => readonly string[]) => ({
  asksNothing: (target: T) => namesIn(target).length === 0,
  details: (target: T) => [...new Set(namesIn(target))].slice(0, 5).join(', '),
});

/**
 * The launches that the configuration names: each type, with each of its charge types, in each of its zones. `zone` is
 * `null` where neither the type nor the region names zones.
 */
export function configuredLaunches(region: RegionKeys) {
  return region.instance_types.flatMap(({ charge_types, subnets, type: instanceType, zones }) => {
    const launch = { instanceType, isZoneNamed: zones !== undefined, subnets };
    return charge_types.flatMap((chargeType) =>
      (zones ?? region.zones ?? [null]).map((zone) => ({ ...launch, chargeType, zone })),
    );
  });
}

/**
 * Whether a key of the configuration may select something: `all`, a selection by names or tags, or a list that is not
 * empty.
 */
const isAny = (key: object | string) => !Array.isArray(key) || key.length > 0;

/**
 * Whether launches of the region are judged: a check asks about some, or the account has `launches: true` and the region
 * watches templates, instance types or scaling groups.
 */
export function areLaunchesJudged({ accountKeys, asked, regionKeys }: LaunchSettings): boolean {
  const { instance_types, launch_templates, scaling_groups = 'all' } = regionKeys;
  const areAny = [instance_types, launch_templates, scaling_groups].some(isAny);
  return asked !== undefined || (accountKeys.launches && areAny);
}

/** Whether scaling groups of the region are judged: launches of the account are, and `scaling_groups` is not empty. */
export function areGroupsJudged({ accountKeys, regionKeys }: LaunchSettings): boolean {
  return accountKeys.launches && isAny(regionKeys.scaling_groups ?? 'all');
}

/** The scaling groups that may start something: those that are not disabled, as far as is known. */
export function enabledGroups(facts: readonly TargetFacts[]): readonly ScalingGroup[] {
  return facts.flatMap(({ groups = [] }) => groups.filter(({ isEnabled }) => isEnabled !== false));
}

/** Makes the `accountProblems` of a kind: a key that says what is judged is a mistake in an account that judges nothing. */
export const needsLaunches =
  (key: 'instance_types' | 'scaling_groups') =>
  (accountKeys: AccountKeys, regionKeys: RegionKeys): readonly RegionProblem[] => {
    if (accountKeys.launches || !isAny(regionKeys[key] ?? [])) return [];
    return [{ path: [key], message: 'has no effect without launches: true in the account' }];
  };

/**
 * The reason why a launch with this charge type of the service cannot be judged. `null` if it can, or if the type is
 * unknown.
 */
export function unjudgedChargeType(name: string | null): string | null {
  const isOther = name !== null && otherChargeTypes.includes(name);
  return isOther ? `the charge type ${name} has no quota that is read` : null;
}

/** The names of the charge types at the service. */
export const serviceChargeTypes: Readonly<Record<ChargeType, string>> = {
  postpaid: 'POSTPAID_BY_HOUR',
  prepaid: 'PREPAID',
  spotpaid: 'SPOTPAID',
};

/** The charge types of the service that are not judged. Any further one is unknown. */
export const otherChargeTypes: readonly string[] = ['CDHPAID', 'CDCPAID'];

/** The charge type with this name at the service. `null` for any other name, and for one that cannot be read. */
export function chargeTypeOf(name: string | null): ChargeType | null {
  return chargeTypes.find((type) => serviceChargeTypes[type] === name) ?? null;
}

/** DiskType of a disk, empty if it is not set. A disk of a type that is neither of the cloud nor local cannot be read. */
const diskType = z
  .object({ DiskType: printableText.regex(/^((CLOUD|LOCAL)_.*)?$/).nullish() })
  .transform(({ DiskType }) => DiskType ?? '');

/** The fields for disks and placement groups, in versions of templates and in launch configurations. */
export const diskAndGroupFields = {
  systemDisk: field('SystemDisk', diskType, ''),
  dataDisks: field('DataDisks', z.array(diskType), []),
  placementGroups: field('DisasterRecoverGroupIds', z.array(printableText), []),
};

/**
 * The cloud disks of a launch, each type once for each usage. Local disks, and disks whose type is not set, are left out.
 *
 * @param systemType the type of the system disk, empty if it is not set
 * @param dataTypes the types of the data disks, as `systemType`
 * @returns `null` if a disk cannot be read, that is if a parameter is `null`
 */
export function disksOf(
  systemType: string | null,
  dataTypes: readonly string[] | null,
): readonly LaunchDisk[] | null {
  if (systemType === null || dataTypes === null) return null;
  const disks: LaunchDisk[] = [
    { type: systemType, usage: 'SYSTEM_DISK' },
    ...dataTypes.map((type) => ({ type, usage: 'DATA_DISK' as const })),
  ];
  const ofCloud = disks.filter(({ type }) => type.startsWith('CLOUD_'));
  return uniqueBy(ofCloud, ({ type, usage }) => `${usage} ${type}`);
}
