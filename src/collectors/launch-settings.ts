/** What the kinds about launches share: the launches of the configuration, and the words and fields of the service. */
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

/** The members of a kind that follow from the names that a target asks about: IDs, types or zones. */
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

/** Whether a key names any. `all` or a selection by names or tags is no list. */
const isAny = (key: object | string) => !Array.isArray(key) || key.length > 0;

/**
 * Whether launches of the region are judged: a check asks about some, or the account has `launches: true`, and the region
 * watches any.
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

/** The scaling groups that may start something. */
export function enabledGroups(facts: readonly TargetFacts[]): readonly ScalingGroup[] {
  const groups = facts.flatMap((each) => each.groups ?? []);
  return groups.filter(({ isEnabled }) => isEnabled !== false);
}

/** The mistake of a key that says what is judged, in an account that judges nothing. */
export const needsLaunches =
  (key: 'instance_types' | 'scaling_groups') =>
  (accountKeys: AccountKeys, regionKeys: RegionKeys): readonly RegionProblem[] => {
    if (accountKeys.launches || !isAny(regionKeys[key] ?? [])) return [];
    return [{ path: [key], message: 'has no effect without launches: true in the account' }];
  };

/** The reason why a charge type of the service cannot be judged. `null` if it can, or is unknown. */
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

/** The charge types of the service that launches do not have here. Any further one is unknown. */
export const otherChargeTypes: readonly string[] = ['CDHPAID', 'CDCPAID'];

/** The charge type with this name at the service. `null` for any other name. */
export function chargeTypeOf(name: string | null): ChargeType | null {
  return chargeTypes.find((type) => serviceChargeTypes[type] === name) ?? null;
}

/** DiskType of a disk, empty if it is not set. A disk of a type that is neither of the cloud nor local cannot be read. */
const diskType = z
  .object({ DiskType: printableText.regex(/^((CLOUD|LOCAL)_.*)?$/).nullish() })
  .transform(({ DiskType }) => DiskType ?? '');

/** The fields for disks and placement groups, which versions of templates and launch configurations have alike. */
export const diskAndGroupFields = {
  systemDisk: field('SystemDisk', diskType, ''),
  dataDisks: field('DataDisks', z.array(diskType), []),
  placementGroups: field('DisasterRecoverGroupIds', z.array(printableText), []),
};

/**
 * The cloud disks whose types are set. `null` if a disk cannot be read.
 *
 * @param systemType the type of the system disk
 * @param dataTypes those of the data disks
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
