/** Judges whether one launch can succeed, part by part. `judgeTargets()` calls it for each launch of a region. Pure. */
import { isSameOffer, type Launch, type RegionFacts } from './launch.ts';
import { namedZone, optionsOf, type Option } from './options.ts';
import type { Quota } from '../quota.ts';
import type { LaunchPart, PartVerdict } from './parts/part.ts';
import { launchParts } from './parts/parts.ts';

/** What one part says about a launch. */
export type JudgedPart = PartVerdict & {
  readonly part: LaunchPart;
  /** The launches that have taken of what it holds, where launches are judged together. */
  readonly takenBy: readonly string[];
};

/** A launch with what its parts say about its best option. */
export type JudgedLaunch = Readonly<ReturnType<typeof judgeLaunch>>;

/**
 * Judges a launch by its best option.
 *
 * @param isRead whether the template that has the launch is up: neither failing nor stale
 */
export function judgeLaunch(launch: Launch, isRead: boolean, facts: RegionFacts) {
  const given = { ...launch, isVersionKnown: isRead && launch.isVersionKnown };
  const zone = namedZone(given, facts);
  const judged = optionsOf(given, zone, facts).map((option) => judgeOption(option, facts));
  const best = judged.reduce((a, b) => (compareOptions(a, b) > 0 ? b : a));
  return { ...given, ...best, account: facts.account, region: facts.region, zone };
}

type JudgedOption = ReturnType<typeof judgeOption>;

/** Orders the options of a launch: not blocked, then unknown, then blocked; the most room first. */
function compareOptions(a: JudgedOption, b: JudgedOption): number {
  return rankOf(a) - rankOf(b) || (b.headroom ?? 0) - (a.headroom ?? 0);
}

function rankOf({ parts }: JudgedOption): number {
  if (parts.some(({ reason }) => reason !== null)) return 2;
  return parts.some(({ isKnown }) => !isKnown) ? 1 : 0;
}

function judgeOption(option: Option, facts: RegionFacts) {
  const parts = launchParts.flatMap((part): JudgedPart | readonly [] => {
    const verdict = part.judge(option, facts);
    if (verdict === null) return [];
    const takenBy = facts.takenBy?.get(verdict.shares ?? '') ?? [];
    return { ...verdict, part, takenBy };
  });
  const ofType = (facts.stock?.rows ?? []).filter((row) => isSameOffer(option, row));
  return {
    /** The zone of the option; empty while it is unknown. Differs from `zone` if nothing names one: the best zone counts. */
    judgedZone: option.zone ?? '',
    parts,
    /** How many instances this launch alone could start. `null` if it is unknown, or nothing bounds it. */
    headroom: headroomOf(parts),
    /** The stock in its zone; `null` if it is unknown. */
    stock: ofType.find(({ zone }) => zone === option.zone) ?? null,
    /** The zones in which its type sells now. */
    soldIn: ofType.filter(({ sells }) => sells === true).map(({ zone }) => zone),
  };
}

/** 0 if a part holds none, whatever is unknown. Else `null` if a part is unknown, and the least that a part holds otherwise. */
function headroomOf(parts: readonly JudgedPart[]): number | null {
  const least = Math.min(...parts.map(({ roomFor }) => roomFor ?? Infinity));
  const isKnown = least === 0 || parts.every((part) => part.isKnown);
  return isKnown && least < Infinity ? least : null;
}

/** The name of a quota where parts say what they share: its resource, or else its type and zone. */
function needOf({ labels = {}, type, zone }: Quota): string {
  return Object.values(labels)[0] ?? `${type} ${zone ?? ''}`;
}

/** The facts without what a launch takes. A launch that is blocked takes nothing: it does not start. */
export function factsAfter(facts: RegionFacts, launch: JudgedLaunch): RegionFacts {
  const { count, instanceType, parts, source = '' } = launch;
  if (parts.some(({ reason, severity }) => reason !== null && severity === 'critical'))
    return facts;
  const needs = new Set(parts.flatMap(({ shares }) => shares ?? []));
  const instances = count ?? 1;
  const cpu = facts.stock?.rows.find((row) => row.instanceType === instanceType)?.cpu ?? 1;
  const takenBy = new Map(facts.takenBy);
  for (const need of needs) takenBy.set(need, [...(takenBy.get(need) ?? []), source]);
  return {
    ...facts,
    takenBy,
    quotas: facts.quotas.map((quota) => {
      if (!needs.has(needOf(quota)) || quota.remaining === null) return quota;
      const takes = quota.type === 'spotpaid' ? instances * cpu : instances;
      return { ...quota, remaining: Math.max(0, quota.remaining - takes) };
    }),
  };
}
