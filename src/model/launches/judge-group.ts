/**
 * Judges how many instances a scaling group can start now: a sum over its zones, because it starts instances in each that
 * has room. `judge-region.ts` calls `judgeGroup` for each group that may start one. Pure. The steps:
 *
 * 1. `portionsOf`: the new instances by charge type, such as on-demand and spot.
 * 2. `judgeZone`: how many instances of a portion each zone holds.
 * 3. `judgePortion`: the room of a portion over all zones, and one verdict of each part for them all.
 * 4. `judgeGroup`: the most new instances whose portions all have room, within the parts that bound the whole group.
 */
import {
  judgeParts,
  blockLevelOf,
  sum,
  type JudgedLaunch,
  type JudgedPart,
} from './judge-launch.ts';
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
  const wholeGroupParts = judgeParts(partsThat('bounds-group'), launch, facts);
  const groupBound = Math.min(...wholeGroupParts.map(({ roomFor }) => roomFor ?? Infinity));
  const zones = zonesOf(group, facts);
  const portions = portionsOf(group, launchesOfGroup(group, configuration)).map((portion) => {
    const need = count === null ? null : portion.countAmong(count);
    return { ...portion, ...judgePortion(portion.launches, need, zones, facts) };
  });
  const worst = portions.reduce((a, b) => (b.blockLevel > a.blockLevel ? b : a));
  const possibleRoom = largest(
    (n) => n <= groupBound && portions.every((each) => each.countAmong(n) <= each.possibleRoom),
  );
  const areAllKnown = [...portions, ...wholeGroupParts].every(({ isKnown }) => isKnown);
  // 0 is certain even if a part is unknown.
  const room = areAllKnown || possibleRoom === 0 ? possibleRoom : null;
  const parts = [...worst.parts, ...wholeGroupParts];
  const upToMaximum = maxSize === null || instances === null ? null : maxSize - instances;
  return {
    ...launch,
    ...{ judgedZone: '', stockLevel: null, group },
    chargeType: worst.chargeType,
    parts: launchParts.flatMap((part) => parts.filter((judged) => judged.part === part)),
    headroom: room === Infinity ? null : room,
    soldIn: worst.soldIn,
    missing: room === null || upToMaximum === null ? null : Math.max(0, upToMaximum - room),
  };
}

/** The parts that count for a group in this way. */
const partsThat = (role: LaunchPart['inGroup']) =>
  launchParts.filter(({ inGroup = 'bounds-group' }) => inGroup === role);

/** More instances than any group may have. A power of 2. */
const unbounded = 2 ** 20;

/** The largest number that fits, by halves; all below it must fit, too. Infinity if {@link unbounded} fits. */
function largest(fits: (n: number) => boolean): number {
  if (fits(unbounded)) return Infinity;
  let most = 0;
  for (let step = unbounded / 2; step >= 1; step /= 2) {
    if (fits(most + step)) most += step;
  }
  return most;
}

/**
 * The portions of the new instances of a group, one for each charge type that it needs: its own, on-demand if that takes
 * the place of spot, or both. While the mix is unknown, one portion with the charge type `null`.
 *
 * @param launches what the group may start
 * @returns `launches` of the portion, and `countAmong`: how many of so many new instances belong to it
 */
function portionsOf({ instances, mixed }: ScalingGroup, launches: readonly Launch[]) {
  const countAll = (n: number) => n;
  if (!mixed) return [{ launches, countAmong: countAll }];
  const paid = (type: Launch['chargeType']) =>
    launches.filter(({ chargeType }) => chargeType === type);
  const { base, isCompensated, percentage } = mixed;
  if (isCompensated === true) return [{ launches: paid('postpaid'), countAmong: countAll }];
  if (isCompensated === null || base === null || percentage === null || instances === null) {
    const ofUnknown = paid('postpaid').map((launch) => ({ ...launch, chargeType: null }));
    return [{ launches: ofUnknown, countAmong: countAll }];
  }
  // Of the members up to `base` all are on-demand, above it the percentage, rounded up.
  const onDemandOf = (members: number) =>
    Math.min(members, base) + Math.ceil((Math.max(0, members - base) * percentage) / 100);
  const onDemandAmong = (n: number) => onDemandOf(instances + n) - onDemandOf(instances);
  return [
    { launches: paid('postpaid'), countAmong: onDemandAmong },
    { launches: paid('spotpaid'), countAmong: (n: number) => n - onDemandAmong(n) },
  ];
}

/** A zone of a group with its subnets there. `null` for what is unknown. */
type GroupZone = Pick<Launch, 'zone' | 'subnets'>;

/** The zones of the subnets if the group has a VPC, else those that it names. `null`: an unknown zone. At least one. */
function zonesOf({ subnets, zones }: ScalingGroup, facts: RegionFacts): readonly GroupZone[] {
  const zoneOf = (id: string) => facts.subnets.get(id)?.zone ?? null;
  const distinct = new Set(subnets?.length === 0 ? zones : subnets?.map(zoneOf));
  if (distinct.size === 0) return [{ zone: null, subnets }];
  return [...distinct].map((zone) => {
    return { zone, subnets: subnets?.filter((id) => zoneOf(id) === zone) ?? null };
  });
}

/**
 * Judges one portion of the new instances: its room over all zones, and one verdict of each part for all zones.
 *
 * @param launches one for each instance type, all with the charge type of the portion
 * @param need the instances of the portion. `null`: unknown, but at least one
 * @returns `possibleRoom`: `Infinity` while a zone is unknown, and if nothing bounds it
 */
function judgePortion(
  launches: readonly Launch[],
  need: number | null,
  zones: readonly GroupZone[],
  facts: RegionFacts,
) {
  const chargeType = launches[0]?.chargeType ?? null;
  const judgedZones = zones.map((zone) => judgeZone(launches, zone, facts));
  const verdictsOf = (part: LaunchPart) =>
    judgedZones.flatMap(({ parts }) => parts.filter((each) => each.part === part));
  const boundOverZones = (part: LaunchPart) => {
    const bounds = verdictsOf(part).flatMap(({ atOnce }) => atOnce ?? []);
    return bounds.length === 0 ? Infinity : Math.max(...bounds);
  };
  const sumOfZones = sum(judgedZones.map(({ room }) => room ?? 0));
  const certainRoom = Math.min(...launchParts.map(boundOverZones), sumOfZones);
  const isRoomKnown = judgedZones.every(({ room }) => room !== null);
  const possibleRoom = isRoomKnown ? certainRoom : Infinity;
  const isEnough = need !== null && certainRoom >= need;
  const isBlocked = possibleRoom < (need ?? 1);
  const parts = launchParts.flatMap((part): JudgedPart | readonly [] => {
    const verdicts = verdictsOf(part);
    const [shown] = verdicts.toSorted(compareToShow);
    if (shown === undefined) return [];
    const rooms = sum(verdicts.map(({ roomFor }) => roomFor ?? Infinity));
    const roomFor = Math.min(boundOverZones(part), rooms);
    // An unknown need is at least 1: only what holds none is known to block.
    const isNeedKnown = need !== null || isBlocked || roomFor === Infinity;
    const areAllKnown = verdicts.every(({ isKnown }) => isKnown);
    const limiting = verdicts.find(({ limitsZone }) => limitsZone);
    const isShort = roomFor < (need ?? 1);
    // The verdict that says why the portion is blocked, if this part blocks it.
    const blocking = isBlocked ? (limiting ?? (isShort ? shown : null)) : null;
    // Too little in all zones together has the first reason of the part.
    const [reason = null] = blocking === null ? [] : Object.keys(part.reasons);
    return {
      ...shown,
      // With enough room, or with a zone whose room is known, an unknown verdict does not matter.
      isKnown: isEnough || (isNeedKnown && verdicts.every(({ isSettled }) => isSettled)),
      roomFor: areAllKnown && roomFor < Infinity ? roomFor : null,
      ...(!areAllKnown && { atLeast: sum(verdicts.map((each) => each.roomFor ?? 0)) }),
      reason: blocking?.reason ?? reason,
      severity: blocking?.severity ?? 'critical',
      shares: [],
      takenBy: [...new Set(verdicts.flatMap(({ takenBy }) => takenBy))],
      limitsZone: limiting !== undefined,
    };
  });
  return {
    ...{ chargeType, isKnown: isRoomKnown, possibleRoom, parts },
    /** As {@link blockLevelOf}. */
    blockLevel: isBlocked ? 2 : isEnough ? 0 : 1,
    soldIn: judgedZones.flatMap(({ soldIn }) => soldIn),
  };
}

/** Orders the verdicts of a part about zones: with room first, then the known, then those with more than nearly nothing. */
function compareToShow(a: ZoneVerdict, b: ZoneVerdict): number {
  return (
    Number(a.isZoneFull) - Number(b.isZoneFull) ||
    Number(b.isKnown) - Number(a.isKnown) ||
    Number(a.isTight === true) - Number(b.isTight === true)
  );
}
type ZoneVerdict = JudgedPart & { readonly isZoneFull: boolean };

/**
 * Judges how many instances a zone holds, each of any of the launches. A zone counts if at least one launch passes all parts
 * that open zones. Of these launches, the one with the least room decides, for each part that bounds zones, such as a
 * quota of vCPUs.
 *
 * @returns `room`: `null` while it is unknown, Infinity if nothing bounds it
 */
function judgeZone(launches: readonly Launch[], { subnets, zone }: GroupZone, facts: RegionFacts) {
  const judged = launches.map((launch) => {
    const option = { ...launch, zone, subnets, count: 1 };
    const gates = judgeParts(partsThat('opens-zone'), option, facts);
    return { option, gates, blockLevel: blockLevelOf(gates) };
  });
  const tightOf = (gates: readonly PartVerdict[]) => gates.filter(({ isTight }) => isTight).length;
  judged.sort((a, b) => a.blockLevel - b.blockLevel || tightOf(a.gates) - tightOf(b.gates));
  // Without a launch, the zone is unknown.
  const { gates = [], blockLevel: best = 1 } = judged[0] ?? {};
  const options = judged.filter(({ blockLevel }) => blockLevel === best).map((each) => each.option);
  const bounds = partsThat('bounds-zone').flatMap((part) => {
    const verdicts = options.flatMap((option) => judgeParts([part], option, facts));
    const [least] = verdicts.toSorted((a, b) => (a.roomFor ?? Infinity) - (b.roomFor ?? Infinity));
    const areKnown = verdicts.every(({ isKnown }) => isKnown);
    return least === undefined ? [] : areKnown ? least : { ...least, ...unknown };
  });
  const leastRoom = Math.min(...bounds.map(({ roomFor }) => roomFor ?? Infinity));
  const isKnown = best === 0 && bounds.every((bound) => bound.isKnown);
  const room = best === 2 || leastRoom === 0 ? 0 : isKnown ? leastRoom : null;
  const parts = [...gates, ...bounds].map((part) => ({
    ...part,
    limitsZone: best === 2 ? part.reason !== null && gates.includes(part) : part.roomFor === room,
    /** Whether the verdict is known, or does not matter because the room of the zone is known. */
    isSettled: part.isKnown || room !== null,
    isZoneFull: room === 0,
  }));
  const sold = facts.stock?.rows.find(
    (row) => row.sells && row.zone === zone && options.some((each) => isSameOffer(each, row)),
  );
  return { room, soldIn: sold === undefined ? [] : [sold.zone], parts };
}
