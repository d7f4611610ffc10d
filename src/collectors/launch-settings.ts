/** What the kinds that judge launches share: what is started, and how the service names the charge types. */
import { chargeTypes, type ChargeType } from '../model/launches/launch.ts';
import type { RegionSettings } from './collector.ts';
import { placedType, type launchConfiguration } from './keys.ts';

type LaunchSettings = RegionSettings<typeof launchConfiguration>;

/** What the configuration starts: each type, with each of its charge types, in each of its zones. */
export function configuredLaunches({
  instance_types,
  zones: zonesOfRegion,
}: LaunchSettings['regionKeys']) {
  return instance_types.flatMap((each) => {
    const placed = typeof each === 'string' ? placedType.parse({ type: each }) : each;
    const { charge_types, subnets, type: instanceType, zones } = placed;
    const launch = { instanceType, isZoneNamed: zones !== undefined, subnets };
    return charge_types.flatMap((chargeType) =>
      (zones ?? zonesOfRegion ?? [null]).map((zone) => ({ ...launch, chargeType, zone })),
    );
  });
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
export function chargeTypeOf(name: string | null): ChargeType | null {
  return chargeTypes.find((each) => serviceChargeTypes[each] === name) ?? null;
}
