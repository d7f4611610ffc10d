/**
 * The options of a launch: where and with which subnets it could start its instances. `judge-launch.ts` judges each, and the
 * best one counts; prices are asked for each. Also what a scaling group may start, as launches. Pure.
 */
import {
  isSameOffer,
  plainLaunch,
  type Launch,
  type LaunchConfiguration,
  type Offer,
  type ScalingGroup,
} from './launch.ts';
import type { RegionFacts } from './region-facts.ts';

/**
 * An instance type in a zone, with a charge type, and with the subnets that bound it there. `zone`: empty for a type that
 * no zone sells (of a launch: nothing names one), `null` while it is unknown.
 */
export type Option = Omit<Launch, 'subnetsBindOwnZonesOnly'>;

/** One option for each zone that the launch leaves open; for one only, if {@link namedZone} gives it. At least one. */
export function optionsOf(launch: Launch, facts: RegionFacts): Option[] {
  const named = namedZone(launch, facts);
  const zones = named === '' ? candidateZones(launch, facts) : [named];
  const isZoneNamed = launch.isZoneNamed || (launch.zone === '' && named !== '');
  return zones.map((zone) => {
    // A subnet whose zone is unknown may be in each.
    const isHere = (id: string) => (facts.subnets.get(id)?.zone ?? zone) === zone;
    const bindsAll = zone === null || !launch.subnetsBindOwnZonesOnly;
    const subnets = launch.subnets?.filter((id) => bindsAll || isHere(id)) ?? null;
    return { ...launch, zone, isZoneNamed, subnets };
  });
}

/** The zone of the launch, or that of all its subnets. Empty if nothing names one; `null` while it is unknown. */
export function namedZone(
  { subnets, subnetsBindOwnZonesOnly, zone }: Launch,
  facts: RegionFacts,
): string | null {
  if (zone !== '' || subnetsBindOwnZonesOnly) return zone;
  if (subnets === null) return null;
  // Without a known zone, a subnet is left out only if a current answer proves that it is gone.
  const mayCount = subnets
    .map((id) => facts.subnets.get(id))
    .filter((subnet) => subnet?.zone !== null || !subnet.isCurrent || !subnet.isGone);
  const [firstZone = '', ...otherZones] = new Set(mayCount.map((subnet) => subnet?.zone ?? null));
  if (firstZone === null || otherZones.includes(null)) return null;
  return otherZones.length === 0 ? firstZone : '';
}

/**
 * The zones that sell the instance type, or did, by name. If there are none, those with a quota of the charge type; without
 * these either, the empty zone. At the end `null`, for a further zone that the stock may have while it is not wholly known.
 */
function candidateZones(
  launch: Launch,
  { quotas, stock }: RegionFacts,
): readonly (string | null)[] {
  const isSame = (offer: Offer) => isSameOffer(launch, offer);
  const { rows = [], histories = [], asked = [], isWhole = false } = stock ?? {};
  const wereOffered = histories.filter(({ wasOffered }) => wasOffered);
  const withStock = [...rows, ...wereOffered].filter(isSame).map(({ zone }) => zone);
  const withQuota = quotas.flatMap(({ type, zone }) =>
    type === launch.chargeType ? (zone ?? []) : [],
  );
  const zones = [...new Set(withStock.length > 0 ? withStock : withQuota)].toSorted();
  if (!isWhole || !asked.some(isSame)) return [...zones, null];
  return zones.length > 0 ? zones : [''];
}

/**
 * A scaling group as one launch, with all its types in one text: for its name, and for the parts that bound all that it starts.
 * A charge type is `null` while it is unknown or mixed.
 */
export function launchOfGroup(
  { id, mixed, subnets }: ScalingGroup,
  configuration: LaunchConfiguration | undefined,
): Launch {
  return {
    ...plainLaunch,
    groupId: id,
    zone: '',
    subnets,
    subnetsBindOwnZonesOnly: true,
    instanceType: configuration?.instanceTypes?.join(', ') ?? null,
    chargeType: mixed === undefined ? (configuration?.chargeType ?? null) : null,
    disks: configuration?.disks ?? null,
    placementGroups: configuration?.placementGroups ?? null,
  };
}

/**
 * What a scaling group may start: one launch for each type and charge type, and without a VPC for each zone. At least one:
 * what is unknown is `null` in it.
 */
export function launchesOfGroup(
  group: ScalingGroup,
  configuration: LaunchConfiguration | undefined,
): readonly Launch[] {
  const { mixed, subnets, zones } = group;
  const launch = launchOfGroup(group, configuration);
  const types = configuration?.instanceTypes ?? [null];
  const chargeTypes = mixed ? (['postpaid', 'spotpaid'] as const) : [launch.chargeType];
  const places = subnets?.length === 0 && zones !== null && zones.length > 0 ? zones : [''];
  return chargeTypes.flatMap((chargeType) =>
    types.flatMap((instanceType) =>
      places.map((zone) => ({ ...launch, chargeType, instanceType, zone })),
    ),
  );
}
