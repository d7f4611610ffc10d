/**
 * Judges what a scaling group can start: a sum over its zones, because it starts instances in each that has room.
 * `judge-region.ts` calls it for each group that may start an instance. Pure.
 */
import { judgeParts, blockLevelOf, type JudgedLaunch, type JudgedPart } from './judge-launch.ts';
import { isSameOffer, type Launch, type LaunchConfiguration, type ScalingGroup } from './launch.ts';
import { launchesOfGroup, launchOfGroup } from './options.ts';
import { unknown, type LaunchPart, type PartVerdict } from './parts/part.ts';
import { launchParts } from './parts/parts.ts';
import type { RegionFacts } from './region-facts.ts';

/** Why a group starts nothing, for people. `null` if it may start an instance. */
export function idleReason({ instances, isEnabled, maxSize }: ScalingGroup): string | null {
  if (isEnabled === false) return 'the scaling group is disabled';
  if (instances === null || maxSize === null || instances < maxSize) return null;
  return 'the scaling group has all the members that it may have';
}

/**
 * Judges a group that may start an instance.
 *
 * @param asked the instances that it shall start. `null`: those that it lacks now, at least one
 */
export function judgeGroup(
  group: ScalingGroup,
  configuration: LaunchConfiguration | undefined,
  facts: RegionFacts,
  asked: number | null,
): JudgedLaunch {
  const { desiredCapacity, instances, maxSize } = group;
  const isLackKnown = desiredCapacity !== null && instances !== null;
  const count = asked ?? (isLackKnown ? Math.max(1, desiredCapacity - instances) : null);
  const launch = { ...launchOfGroup(group, configuration), count };
  const ofWhole = judgeParts(partsThat('bounds-group'), launch, facts);
  const cap = Math.min(...ofWhole.map(({ roomFor }) => roomFor ?? Infinity));
  const zones = zonesOf(group, facts);
  const sides = sidesOf(group, launchesOfGroup(group, configuration)).map(({ of, amongNew }) => {
    const need = count === null ? null : amongNew(count);
    return { amongNew, ...judgeSide(of, need, zones, facts) };
  });
  const worst = sides.reduce((a, b) => (b.blockLevel > a.blockLevel ? b : a));
  const fits = (n: number) => n <= cap && sides.every((side) => side.amongNew(n) <= side.most);
  const most = largest(fits);
  const isExact = [...sides, ...ofWhole].every(({ isKnown }) => isKnown);
  // 0 is certain even if a part is unknown.
  const held = isExact || most === 0 ? most : null;
  const parts = [...worst.parts, ...ofWhole];
  const lacking = maxSize === null || instances === null ? null : maxSize - instances;
  return {
    ...launch,
    ...{ judgedZone: '', stockLevel: null, group },
    chargeType: worst.chargeType,
    parts: launchParts.flatMap((part) => parts.filter((judged) => judged.part === part)),
    headroom: held === Infinity ? null : held,
    soldIn: worst.soldIn,
    missing: held === null || lacking === null ? null : Math.max(0, lacking - held),
  };
}

const partsThat = (role: LaunchPart['inGroup']) =>
  launchParts.filter(({ inGroup = 'bounds-group' }) => inGroup === role);

/** More instances than any group may have. A power of 2. */
const unbounded = 2 ** 20;

/** The largest number that fits, if every smaller one does, by steps of half the size each. Infinity from {@link unbounded} on. */
function largest(fits: (n: number) => boolean): number {
  if (fits(unbounded)) return Infinity;
  let most = 0;
  for (let step = unbounded / 2; step >= 1; step /= 2) {
    if (fits(most + step)) most += step;
  }
  return most;
}

/**
 * The sides of a group, one for each charge type of which it needs instances: its own, on-demand if it takes the place of
 * spot, or both. `amongNew` gives how many of so many new instances are of the side.
 */
function sidesOf({ instances, mixed }: ScalingGroup, launches: readonly Launch[]) {
  const all = (n: number) => n;
  if (!mixed) return [{ of: launches, amongNew: all }];
  const paid = (type: Launch['chargeType']) =>
    launches.filter(({ chargeType }) => chargeType === type);
  const { base, isCompensated, percentage } = mixed;
  if (isCompensated === true) return [{ of: paid('postpaid'), amongNew: all }];
  if (isCompensated === null || base === null || percentage === null || instances === null) {
    const ofUnknown = paid('postpaid').map((launch) => ({ ...launch, chargeType: null }));
    return [{ of: ofUnknown, amongNew: all }];
  }
  const onDemandOf = (members: number) =>
    Math.min(members, base) + Math.ceil((Math.max(0, members - base) * percentage) / 100);
  const onDemand = (n: number) => onDemandOf(instances + n) - onDemandOf(instances);
  return [
    { of: paid('postpaid'), amongNew: onDemand },
    { of: paid('spotpaid'), amongNew: (n: number) => n - onDemand(n) },
  ];
}

/** A zone of a group with its subnets there. `null` for what is unknown. */
type GroupZone = Pick<Launch, 'zone' | 'subnets'>;

/** With a VPC the zones of the subnets, of which an unknown one is `null`; else those that the group names. At least one. */
function zonesOf({ subnets, zones }: ScalingGroup, facts: RegionFacts): readonly GroupZone[] {
  const zoneOf = (id: string) => facts.subnets.get(id)?.zone ?? null;
  const all = new Set(subnets?.length === 0 ? zones : subnets?.map(zoneOf));
  if (all.size === 0) return [{ zone: null, subnets }];
  return [...all].map((zone) => {
    return { zone, subnets: subnets?.filter((id) => zoneOf(id) === zone) ?? null };
  });
}

/**
 * What the instances of one charge type find in the zones.
 *
 * @param launches one for each type, all with the charge type
 * @param need the instances that they have to hold. `null`: unknown, but at least one
 */
function judgeSide(
  launches: readonly Launch[],
  need: number | null,
  zones: readonly GroupZone[],
  facts: RegionFacts,
) {
  const chargeType = launches[0]?.chargeType ?? null;
  const judged = zones.map((zone) => judgeZone(launches, zone, facts));
  const isKnown = judged.every(({ holds }) => holds !== null);
  const inZonesOf = (part: LaunchPart) =>
    judged.flatMap((zone) => zone.parts.filter((each) => each.part === part));
  const capOf = (part: LaunchPart) => {
    const caps = inZonesOf(part).flatMap(({ atOnce }) => atOnce ?? []);
    return caps.length === 0 ? Infinity : Math.max(...caps);
  };
  const held = Math.min(...launchParts.map(capOf), sum(judged.map(({ holds }) => holds ?? 0)));
  const most = isKnown ? held : Infinity;
  const isEnough = need !== null && held >= need;
  const isBlocked = most < (need ?? 1);
  const parts = launchParts.flatMap((part): JudgedPart | readonly [] => {
    const inZones = inZonesOf(part);
    const [shown] = inZones.toSorted((a, b) => a.order - b.order);
    if (shown === undefined) return [];
    const rooms = sum(inZones.map(({ roomFor }) => roomFor ?? Infinity));
    const roomFor = Math.min(capOf(part), rooms);
    // An unknown need is at least 1: only what holds none is known to block.
    const isNeedKnown = need !== null || isBlocked || roomFor === Infinity;
    const areAllKnown = inZones.every((each) => each.isKnown);
    const limiting = inZones.find(({ limits }) => limits);
    const isShort = roomFor < (need ?? 1);
    const blocking = isBlocked ? (limiting ?? (isShort ? shown : null)) : null;
    // Too little in all zones together has the first reason of the part.
    const [reason = null] = blocking === null ? [] : Object.keys(part.reasons);
    return {
      ...shown,
      isKnown: isEnough || (isNeedKnown && inZones.every(({ isSettled }) => isSettled)),
      roomFor: areAllKnown && roomFor < Infinity ? roomFor : null,
      ...(!areAllKnown && { atLeast: sum(inZones.map((each) => each.roomFor ?? 0)) }),
      reason: blocking?.reason ?? reason,
      severity: blocking?.severity ?? 'critical',
      shares: [],
      takenBy: [...new Set(inZones.flatMap(({ takenBy }) => takenBy))],
      limitsZone: limiting !== undefined,
    };
  });
  return {
    ...{ chargeType, isKnown, most, parts },
    /** As {@link blockLevelOf}. */
    blockLevel: isBlocked ? 2 : isEnough ? 0 : 1,
    soldIn: judged.flatMap(({ soldIn }) => soldIn),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/**
 * What a zone holds. `null` while it is unknown, and Infinity if nothing bounds it. A zone counts if at least one type passes
 * all parts that open zones. Of these types, for each part that bounds zones, such as a quota of vCPUs, the one with the least
 * room decides.
 */
function judgeZone(launches: readonly Launch[], { subnets, zone }: GroupZone, facts: RegionFacts) {
  const types = launches.map((launch) => {
    const option = { ...launch, zone, subnets, count: 1 };
    const gates = judgeParts(partsThat('opens-zone'), option, facts);
    return { option, gates, blockLevel: blockLevelOf(gates) };
  });
  const tightOf = (gates: readonly PartVerdict[]) => gates.filter(({ isTight }) => isTight).length;
  types.sort((a, b) => a.blockLevel - b.blockLevel || tightOf(a.gates) - tightOf(b.gates));
  const { gates = [], blockLevel: best = 1 } = types[0] ?? {};
  const options = types.filter(({ blockLevel }) => blockLevel === best).map(({ option }) => option);
  const bounds = partsThat('bounds-zone').flatMap((part) => {
    const ofTypes = options.flatMap((option) => judgeParts([part], option, facts));
    const [least] = ofTypes.toSorted((a, b) => (a.roomFor ?? Infinity) - (b.roomFor ?? Infinity));
    const areKnown = ofTypes.every(({ isKnown }) => isKnown);
    return least === undefined ? [] : areKnown ? least : { ...least, ...unknown };
  });
  const least = Math.min(...bounds.map(({ roomFor }) => roomFor ?? Infinity));
  const isKnown = best === 0 && bounds.every((bound) => bound.isKnown);
  const holds = best === 2 || least === 0 ? 0 : isKnown ? least : null;
  const parts = [...gates, ...bounds].map((part) => ({
    ...part,
    /** Why the zone does not hold more. */
    limits: best === 2 ? part.reason !== null && gates.includes(part) : part.roomFor === holds,
    isSettled: part.isKnown || holds !== null,
    /** Sorts zones to show: first those that hold one, of these the known parts, of these those with more than nearly nothing. */
    order: 4 * Number(holds === 0) + 2 * Number(!part.isKnown) + Number(part.isTight === true),
  }));
  const sold = facts.stock?.rows.find(
    (row) => row.sells && row.zone === zone && options.some((each) => isSameOffer(each, row)),
  );
  return { holds, soldIn: sold === undefined ? [] : [sold.zone], parts };
}
