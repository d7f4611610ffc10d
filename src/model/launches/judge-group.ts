/**
 * Judges what a scaling group can start: a sum over its zones, because it starts instances in each that has room. Pure.
 */
import { judgeParts, rankOf, type JudgedLaunch, type JudgedPart } from './judge-launch.ts';
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
  asked: number | null = null,
): JudgedLaunch {
  const { desiredCapacity, instances, maxSize } = group;
  const isLackKnown = desiredCapacity !== null && instances !== null;
  const count = asked ?? (isLackKnown ? Math.max(1, desiredCapacity - instances) : null);
  const launch = { ...launchOfGroup(group, configuration), count };
  const ofWhole = judgeParts(partsThat('bounds-group'), launch, facts);
  const cap = Math.min(...ofWhole.map(({ roomFor }) => roomFor ?? Infinity));
  const shares = sharesOf(group, launchesOfGroup(group, configuration));
  const zones = zonesOf(group, facts);
  const sides = shares.map(({ of, shareOf }) => {
    const need = count === null ? null : shareOf(count);
    return { shareOf, ...judgeSide(of, need, zones, facts) };
  });
  const worst = sides.reduce((a, b) => (b.rank > a.rank ? b : a));
  const fits = (n: number) => n <= cap && sides.every((side) => side.shareOf(n) <= side.most);
  const most = largest(fits);
  const isExact = [...sides, ...ofWhole].every(({ isKnown }) => isKnown);
  // What holds none holds none, whatever is unknown.
  const held = isExact || most === 0 ? most : null;
  const whole = ofWhole.map((part) => {
    return { ...part, binds: !part.isKnown || (part.roomFor !== null && part.roomFor === held) };
  });
  const parts = [...worst.parts, ...whole];
  const lacking = maxSize === null || instances === null ? null : maxSize - instances;
  return {
    ...launch,
    ...{ account: facts.account, region: facts.region, judgedZone: '', stockLevel: null, group },
    chargeType: worst.chargeType,
    parts: launchParts.flatMap((part) => parts.filter((judged) => judged.part === part)),
    headroom: held === Infinity ? null : held,
    soldIn: worst.soldIn,
    missing: held === null || lacking === null ? null : Math.max(0, lacking - held),
  };
}

const partsThat = (role: LaunchPart['inGroup']) =>
  launchParts.filter(({ inGroup = 'bounds-group' }) => inGroup === role);

/** More instances than any group may have. */
const unbounded = 1_000_000;

/** The largest number that fits, if every smaller one does. Infinity from {@link unbounded} on. */
function largest(fits: (n: number) => boolean): number {
  if (fits(unbounded)) return Infinity;
  let [low, high] = [0, unbounded];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * The charge types that have to hold a share of what the group starts: its own, on-demand if it takes the place of spot, or
 * both. `shareOf` gives the instances of the charge type among so many more.
 */
function sharesOf({ instances, mixed }: ScalingGroup, launches: readonly Launch[]) {
  const all = (n: number) => n;
  if (!mixed) return [{ of: launches, shareOf: all }];
  const paid = (type: Launch['chargeType']) =>
    launches.filter(({ chargeType }) => chargeType === type);
  const { base, isCompensated, percentage } = mixed;
  if (isCompensated === true) return [{ of: paid('postpaid'), shareOf: all }];
  if (isCompensated === null || base === null || percentage === null || instances === null) {
    const ofUnknown = paid('postpaid').map((launch) => ({ ...launch, chargeType: null }));
    return [{ of: ofUnknown, shareOf: all }];
  }
  const onDemandOf = (members: number) =>
    Math.min(members, base) + Math.ceil((Math.max(0, members - base) * percentage) / 100);
  const onDemand = (n: number) => onDemandOf(instances + n) - onDemandOf(instances);
  return [
    { of: paid('postpaid'), shareOf: onDemand },
    { of: paid('spotpaid'), shareOf: (n: number) => n - onDemand(n) },
  ];
}

/** A zone of a group with its subnets there. `null` for what is unknown. */
type GroupZone = Pick<Launch, 'zone' | 'subnets'>;

/** With a VPC the zones of the subnets, of which an unknown one is `null`. */
function zonesOf({ subnets, zones }: ScalingGroup, facts: RegionFacts): readonly GroupZone[] {
  if (subnets === null || (subnets.length === 0 && !zones?.length))
    return [{ zone: null, subnets }];
  if (subnets.length === 0) return (zones ?? []).map((zone) => ({ zone, subnets }));
  const zoneOf = (id: string) => facts.subnets.get(id)?.zone ?? null;
  return [...new Set(subnets.map(zoneOf))].map((zone) => ({
    zone,
    subnets: subnets.filter((id) => zoneOf(id) === zone),
  }));
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
    const [shown] = inZones.toSorted((a, b) => a.rank - b.rank);
    if (shown === undefined) return [];
    const rooms = sum(inZones.map(({ roomFor }) => roomFor ?? Infinity));
    const roomFor = Math.min(capOf(part), rooms);
    // An unknown need is at least 1: only what holds none is known to block.
    const isNeedKnown = need !== null || isBlocked || roomFor === Infinity;
    const areAllKnown = inZones.every((each) => each.isKnown);
    const limiting = inZones.find(({ limits }) => limits);
    const isShort = roomFor < (need ?? 1);
    const blocking = isBlocked ? (limiting ?? (isShort ? shown : null)) : null;
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
      binds: limiting !== undefined,
    };
  });
  return {
    ...{ chargeType, isKnown, most, parts },
    /** The worse it is, the higher. */
    rank: isBlocked ? 2 : isEnough ? 0 : 1,
    soldIn: judged.flatMap(({ soldIn }) => soldIn),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/**
 * What a zone holds. `null` while it is unknown, and Infinity if nothing bounds it. It counts while one of the types is
 * stopped by no part that opens zones. Of what depends on the type, such as a quota of vCPUs, that type counts that fits least
 * often.
 */
function judgeZone(launches: readonly Launch[], { subnets, zone }: GroupZone, facts: RegionFacts) {
  const types = launches.map((launch) => {
    const option = { ...launch, zone, subnets, count: 1 };
    const gates = judgeParts(partsThat('opens-zone'), option, facts);
    return { option, gates, rank: rankOf(gates) };
  });
  const tightOf = (gates: readonly PartVerdict[]) => gates.filter(({ isTight }) => isTight).length;
  types.sort((a, b) => a.rank - b.rank || tightOf(a.gates) - tightOf(b.gates));
  const { gates = [], rank: state = 1 } = types[0] ?? {};
  const options = types.filter(({ rank }) => rank === state).map(({ option }) => option);
  const bounds = partsThat('bounds-zone').flatMap((part) => {
    const ofTypes = options.flatMap((option) => judgeParts([part], option, facts));
    const [least] = ofTypes.toSorted((a, b) => (a.roomFor ?? Infinity) - (b.roomFor ?? Infinity));
    const areKnown = ofTypes.every(({ isKnown }) => isKnown);
    return least === undefined ? [] : areKnown ? least : { ...least, ...unknown };
  });
  const least = Math.min(...bounds.map(({ roomFor }) => roomFor ?? Infinity));
  const isKnown = state === 0 && bounds.every((bound) => bound.isKnown);
  const holds = state === 2 || least === 0 ? 0 : isKnown ? least : null;
  const parts = [...gates, ...bounds].map((part) => ({
    ...part,
    /** Why the zone does not hold more. */
    limits: state === 2 ? part.reason !== null && gates.includes(part) : part.roomFor === holds,
    isSettled: part.isKnown || holds !== null,
    /** The lower, the better the zone is: it holds one, the part is known, and has more than nearly nothing left. */
    rank: 4 * Number(holds === 0) + 2 * Number(!part.isKnown) + Number(part.isTight === true),
  }));
  const sold = facts.stock?.rows.find(
    (row) => row.sells && row.zone === zone && options.some((each) => isSameOffer(each, row)),
  );
  return { holds, soldIn: sold === undefined ? [] : [sold.zone], parts };
}
