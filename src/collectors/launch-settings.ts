/** What stock, subnets and launch templates share: the launches of the configuration, and the charge types of the service. */
import { chargeTypes, type ChargeType } from '../model/launches/launch.ts';
import type { RegionSettings } from './collector.ts';
import { placedInstanceType, type launchConfiguration } from './keys.ts';

type LaunchSettings = RegionSettings<typeof launchConfiguration>;

/**
 * The launches that the configuration names: each type, with each of its charge types, in each of its zones. `zone` is
 * `null` where neither the type nor the region names zones.
 */
export function configuredLaunches({
  instance_types,
  zones: zonesOfRegion,
}: LaunchSettings['regionKeys']) {
  return instance_types.flatMap((type) => {
    const placed = typeof type === 'string' ? placedInstanceType.parse({ type }) : type;
    const { charge_types, subnets, type: instanceType, zones } = placed;
    const launch = { instanceType, isZoneNamed: zones !== undefined, subnets };
    return charge_types.flatMap((chargeType) =>
      (zones ?? zonesOfRegion ?? [null]).map((zone) => ({ ...launch, chargeType, zone })),
    );
  });
}

/** Whether launches of the region are judged: the account has `launches: true`, and the region names any. */
export function areLaunchesJudged({ accountKeys, regionKeys }: LaunchSettings): boolean {
  const { instance_types, launch_templates: templates } = regionKeys;
  // `all` or a selection by names or tags is no list.
  const areTemplatesWatched = !Array.isArray(templates) || templates.length > 0;
  return accountKeys.launches && (areTemplatesWatched || instance_types.length > 0);
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
