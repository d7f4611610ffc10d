/**
 * Judges whether one launch can succeed, part by part, and what it leaves for the launches after it. `judge-region.ts` calls
 * it for each launch of a region, and `judge-group.ts` judges a scaling group with its functions. Pure.
 */
import { isSameOffer, type Launch, type ScalingGroup } from './launch.ts';
import { namedZone, optionsOf, type Option } from './options.ts';
import type { Quota } from '../quota.ts';
import { notAsked, type LaunchPart, type PartVerdict } from './parts/part.ts';
import { launchParts } from './parts/parts.ts';
import type { RegionFacts } from './region-facts.ts';

/** What one part says about a launch. */
export interface JudgedPart extends PartVerdict {
  readonly part: LaunchPart;
  /** The launches that have taken of what it holds, where launches are judged together. */
  readonly takenBy: readonly string[];
  /** Of a scaling group: whether a zone holds no more because of the part. Absent of a part that bounds the whole launch. */
  readonly limitsZone?: boolean;
  /** What the known zones of a scaling group hold, while others are unknown. */
  readonly atLeast?: number;
}

/** A launch with what its parts say about its best option, or of a scaling group about all. */
export interface JudgedLaunch extends Launch, JudgedOption {
  /** The scaling group that it is of. `null` for a template, and for an instance type of the configuration. */
  readonly group: ScalingGroup | null;
  /** How many members up to its maximum the group could not start now. `null` if it is unknown, and without a group. */
  readonly missing: number | null;
}

/** Judges a launch by its best option. */
export function judgeLaunch(launch: Launch, facts: RegionFacts): JudgedLaunch {
  const judged = optionsOf(launch, facts).map((option) => judgeOption(option, facts));
  const best = judged.reduce((a, b) => (compareOptions(a, b) > 0 ? b : a));
  const zone = namedZone(launch, facts);
  return { ...launch, ...best, zone, group: null, missing: null };
}

type JudgedOption = Readonly<ReturnType<typeof judgeOption>>;

/** Orders the options of a launch: not blocked, then unknown, then blocked; the most room first. */
function compareOptions(a: JudgedOption, b: JudgedOption): number {
  return blockLevelOf(a.parts) - blockLevelOf(b.parts) || (b.headroom ?? 0) - (a.headroom ?? 0);
}

/** The better, the lower: 2 if a part has a reason, also one that is a warning only, else 1 if one is unknown, else 0. */
export function blockLevelOf(parts: readonly PartVerdict[]) {
  if (parts.some(({ reason }) => reason !== null)) return 2;
  return parts.some(({ isKnown }) => !isKnown) ? 1 : 0;
}

/** Judges one option of a launch by all parts. */
function judgeOption(option: Option, facts: RegionFacts) {
  const parts = judgeParts(launchParts, option, facts);
  const ofType = (facts.stock?.rows ?? []).filter((row) => isSameOffer(option, row));
  return {
    /** Empty while it is unknown, and for a scaling group. Differs from `zone` if nothing names one. */
    judgedZone: option.zone ?? '',
    parts,
    /** How many instances this launch alone could start. `null` if it is unknown, or nothing bounds it. */
    headroom: headroomOf(parts),
    /** StatusCategory of the instance type in the zone, from 0 to 3. `null` if it is unknown, and for a scaling group. */
    stockLevel: ofType.find(({ zone }) => zone === option.zone)?.level ?? null,
    /** The zones in which its type sells now. */
    soldIn: ofType.filter(({ sells }) => sells === true).map(({ zone }) => zone),
  };
}

/** What the parts that apply to an option say about it. */
export function judgeParts(parts: readonly LaunchPart[], option: Option, facts: RegionFacts) {
  return parts.flatMap((part): JudgedPart | readonly [] => {
    const judged = part.judge(option, facts);
    if (judged === null) return [];
    const verdict = facts.notPermitted.has(part.operation) ? notAsked : judged;
    const takenBy = verdict.shares.flatMap((name) => facts.takenBy.get(name) ?? []);
    return { ...verdict, part, takenBy };
  });
}

/** 0 if a part holds none, whatever is unknown. Else `null` if a part is unknown, and the least that a part holds otherwise. */
function headroomOf(parts: readonly PartVerdict[]): number | null {
  const least = Math.min(...parts.map(({ roomFor }) => roomFor ?? Infinity));
  const isKnown = least === 0 || parts.every((part) => part.isKnown);
  return isKnown && least < Infinity ? least : null;
}

/** The name of a quota in `shares` of the parts quota, subnet and placement group: its resource, or its type and zone. */
function sharedNameOf({ labels = {}, type, zone }: Quota): string {
  return Object.values(labels)[0] ?? `${type} ${zone ?? ''}`;
}

/**
 * How many instances a launch takes of each quota, subnet and placement group that it shares with others, by
 * {@link sharedNameOf}. A scaling group fills one zone after the other.
 */
function takesOf(launch: JudgedLaunch, facts: RegionFacts): ReadonlyMap<string, number> {
  const { chargeType, count, group, parts, soldIn } = launch;
  const instances = count ?? 1;
  const sharedNames = parts.flatMap(({ shares }) => shares);
  const takes = new Map(sharedNames.map((name) => [name, instances]));
  if (group === null) return takes;
  const roomIn = (name: string) => {
    const quota = facts.quotas.find((each) => sharedNameOf(each) === name);
    return Math.floor((quota?.remaining ?? Infinity) / unitsOf(quota?.type, launch, facts));
  };
  const take = (name: string, wanted: number) => {
    const taken = Math.min(wanted, roomIn(name));
    takes.set(name, taken);
    return taken;
  };
  // In each zone, a group takes of the quota what it still has to start, at most as many as have addresses; and addresses.
  let toStart = instances;
  for (const zone of soldIn) {
    const subnets = group.subnets?.filter((id) => facts.subnets.get(id)?.zone === zone) ?? [];
    const addresses = subnets.length === 0 ? Infinity : sum(subnets.map(roomIn));
    let toPlace = take(`${chargeType} ${zone}`, Math.min(toStart, addresses));
    toStart -= toPlace;
    for (const id of subnets) toPlace -= take(id, toPlace);
  }
  return takes;
}

/** Also for the zones of a scaling group. */
export const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** What an instance counts in a quota: its vCPUs for spot, of several types the most; else 1. */
function unitsOf(type: string | undefined, launch: JudgedLaunch, facts: RegionFacts): number {
  if (type !== 'spotpaid') return 1;
  const configuration = facts.configurations.get(launch.group?.configurationId ?? '');
  const types = [launch.instanceType, ...(configuration?.instanceTypes ?? [])];
  const rows = facts.stock?.rows.filter((row) => types.includes(row.instanceType)) ?? [];
  return Math.max(1, ...rows.map(({ cpu }) => cpu ?? 1));
}

/**
 * The facts without what a launch takes, for the next launch that a check asks about. The daemon judges each launch alone.
 * A launch that a part stops takes nothing: it does not start. A warning does not stop it.
 *
 * @param source what a check calls the launch
 */
export function factsAfter(facts: RegionFacts, launch: JudgedLaunch, source: string): RegionFacts {
  const stopsIt = ({ reason, severity }: PartVerdict) => reason !== null && severity === 'critical';
  if (launch.parts.some(stopsIt)) return facts;
  const takes = takesOf(launch, facts);
  const takenBy = new Map(facts.takenBy);
  for (const [name, taken] of takes) {
    if (taken > 0) takenBy.set(name, [...(takenBy.get(name) ?? []), source]);
  }
  return {
    ...facts,
    takenBy,
    quotas: facts.quotas.map((quota) => {
      const taken = takes.get(sharedNameOf(quota)) ?? 0;
      if (quota.remaining === null) return quota;
      const units = taken * unitsOf(quota.type, launch, facts);
      return { ...quota, remaining: Math.max(0, quota.remaining - units) };
    }),
  };
}
