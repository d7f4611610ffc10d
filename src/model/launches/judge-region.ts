/**
 * Judges all launches of a region, for metrics, pages, JSON and `check`: each with its state, since when its parts block it,
 * and with the number of other templates that share its quota or subnet. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { idleReason, judgeGroup } from './judge-group.ts';
import { factsAfter, judgeLaunch, type JudgedLaunch, type JudgedPart } from './judge-launch.ts';
import { plainLaunch, type Launch } from './launch.ts';
import { launchParts } from './parts/parts.ts';
import { configurationsById, regionFactsOf, type Place, type TargetFacts } from './region-facts.ts';
import type { BlockedSince } from '../record.ts';
import { isLaunchMuted, type Thresholds } from '../thresholds.ts';

/** A launch, judged or not. One that is not judged has a template and a version, or a scaling group, and nothing else. */
interface JudgedOrNot extends JudgedLaunch, Place {
  /** Why it is not judged, for people; `null` if it is. */
  readonly unjudged: string | null;
  /** What a check that asks about it calls it. `null` for a launch that the daemon judges. */
  readonly source: string | null;
}

/** A launch with its judgement and its state. */
export type EvaluatedLaunch = Readonly<ReturnType<typeof evaluateLaunch>> & {
  /** What would hold as many instances in its place: only of a blocked one that a check asks about. */
  readonly alternatives?: readonly EvaluatedLaunch[];
};

/** A part with the time since which it blocks, in milliseconds since the Unix epoch. `null` if it does not, or while unknown. */
export type DatedPart = JudgedPart & { readonly sinceMs: number | null };

/**
 * `low`: a part blocks it with the severity `warning`, a part has nearly nothing left, or it falls short. `fine`: no part blocks it,
 * and each is known. `none`: a scaling group that starts nothing.
 */
export type LaunchState = 'critical' | 'low' | 'unknown' | 'unjudged' | 'fine' | 'muted' | 'none';

/** A launch of which nothing is known, and no part is judged. */
const notJudged = {
  ...plainLaunch,
  ...{ zone: null, instanceType: null, chargeType: null, subnets: null, count: null },
  ...{ ipv6Count: null, disks: null, placementGroups: null },
  ...{ isVersionKnown: false, isZoneNamed: false },
  ...{ judgedZone: '', parts: [], headroom: null, stockLevel: null, soldIn: [] },
  ...{ group: null, missing: null },
};

/**
 * Judges all launches of a region of an account.
 *
 * @param targets of the region
 * @param thresholds without the overrides that have ended
 * @param count the instances of each launch. `null`: its own number
 */
export function judgeLaunches(
  place: Place,
  targets: readonly TargetFacts[],
  thresholds: Pick<Thresholds, 'overrides'>,
  count: number | null = null,
): readonly EvaluatedLaunch[] {
  const judged = judgeTargets(place, targets, count);
  const users = usersByName(judged.flat());
  return targets.flatMap(({ asked, blockedSince }, i) => {
    // A check mutes what it asks about only if the daemon judges that, too.
    const mayBeMuted = asked === undefined || asked.isWatched === true;
    const mutes = mayBeMuted ? thresholds : { overrides: [] };
    return (judged[i] ?? []).map((launch) => evaluateLaunch(launch, blockedSince, mutes, users));
  });
}

/**
 * The launches of each target of a region, in the order of the targets. Empty if no target asks for stock: then the account
 * judges no launches. What failing or stale targets say counts as unknown. In a check the order of the targets matters: what
 * one launch takes, the later ones do not find.
 *
 * @param count the instances of each launch. `null`: its own number
 */
export function judgeTargets(
  place: Place,
  targets: readonly TargetFacts[],
  count: number | null = null,
): readonly (readonly JudgedOrNot[])[] {
  if (!targets.some(({ stock }) => stock !== undefined)) return [];
  let facts = regionFactsOf(targets);
  const configurations = configurationsById(targets);
  return targets.map(({ asked, groups = [], isUp, launches = [] }) => {
    const placeAndSource = { ...place, source: asked?.name ?? null };
    const judged = (launch: JudgedLaunch): JudgedOrNot => {
      if (asked && asked.isAlternative !== true) facts = factsAfter(facts, launch, asked.name);
      return { ...placeAndSource, ...launch, unjudged: null };
    };
    const ofLaunches = launches.map((launch) => {
      if ('unjudged' in launch) return { ...notJudged, ...placeAndSource, ...launch };
      const isVersionKnown = isUp && launch.isVersionKnown;
      const withCount = { ...launch, isVersionKnown, count: count ?? launch.count };
      return judged(judgeLaunch(withCount, facts));
    });
    const ofGroups = groups.map((group) => {
      const configuration = configurations.get(group.configurationId ?? '');
      const unjudged = (isUp ? idleReason(group) : null) ?? configuration?.unjudged ?? null;
      if (unjudged === null) return judged(judgeGroup(group, configuration, facts, count));
      return { ...notJudged, ...placeAndSource, groupId: group.id, group, unjudged };
    });
    return [...ofLaunches, ...ofGroups];
  });
}

/**
 * Identifies a part of a launch among those of one record. A template or a scaling group is one launch, whatever it starts:
 * its keys begin with its ID and a space, by which `collectors/scaling/activities.ts` finds the groups that are blocked.
 *
 * @param part the name of a part, or {@link short}
 */
function partKey(launch: Launch, part: string): string {
  const { chargeType, groupId, instanceType, templateId, zone } = launch;
  const id = templateId || groupId;
  return [...(id === '' ? [instanceType, chargeType, zone] : [id]), part].join(' ');
}

/** The key in place of a part's name for a scaling group that cannot reach its maximum. */
const short = 'short';

/**
 * Since when each part of the launches of a record blocks, after a judgement: a part that blocks keeps its time, or begins
 * now; one that is unknown keeps its time; and one that is known and does not block has none.
 *
 * @param launches of the record, by {@link judgeTargets}
 * @returns `before` if nothing changed
 */
export function blockedSinceAfter(
  before: BlockedSince,
  launches: readonly JudgedOrNot[],
  nowMs: number,
): BlockedSince {
  // While the default version is uncertain, so is every part.
  if (launches.some(({ group, unjudged, version }) => unjudged && version === null && !group))
    return before;
  const after: Record<string, number> = {};
  for (const launch of launches) {
    const { group, missing, parts, unjudged } = launch;
    const date = (part: string, isKnown: boolean, isBlocking: boolean) => {
      const key = partKey(launch, part);
      const sinceMs = before[key] ?? (isBlocking ? nowMs : null);
      if (sinceMs !== null && (isBlocking || !isKnown)) after[key] = sinceMs;
    };
    for (const { isKnown, part, reason } of parts) date(part.name, isKnown, reason !== null);
    if (group && unjudged === null) date(short, missing !== null, (missing ?? 0) > 0);
  }
  return isDeepStrictEqual(before, after) ? before : after;
}

/** By the name of what launches may share, such as a quota of a zone or a subnet: the IDs of the templates that need it. */
function usersByName(launches: readonly JudgedLaunch[]): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  for (const { parts, templateId } of launches) {
    if (templateId === '') continue;
    for (const name of parts.flatMap(({ shares }) => shares)) {
      users.set(name, (users.get(name) ?? new Set()).add(templateId));
    }
  }
  return users;
}

/**
 * A launch with its state, its blocking parts, and their times.
 *
 * @param blockedSince of the record that has the launch
 * @param users by {@link usersByName}
 */
function evaluateLaunch(
  launch: JudgedOrNot,
  blockedSince: BlockedSince,
  thresholds: Pick<Thresholds, 'overrides'>,
  users: ReadonlyMap<string, ReadonlySet<string>>,
) {
  const parts = launch.parts.map((part): DatedPart => {
    const sinceMs = blockedSince[partKey(launch, part.part.name)] ?? null;
    return { ...part, sinceMs: part.reason === null ? null : sinceMs };
  });
  const blocking = parts
    .filter(({ part, reason }) => {
      if (reason === null) return false;
      const hasSameReason = (other: DatedPart) => other.part !== part && other.reason === reason;
      // A version may be refused a price for the reason of another part, which says it better.
      return Object.hasOwn(part.reasons, reason) || !parts.some(hasSameReason);
    })
    .toSorted((a, b) => Number(b.severity === 'critical') - Number(a.severity === 'critical'));
  const times = blocking.flatMap(({ sinceMs }) => sinceMs ?? []);
  const sharedNames = parts.flatMap(({ shares }) => shares);
  const sharing = new Set(sharedNames.flatMap((name) => [...(users.get(name) ?? [])]));
  sharing.delete(launch.templateId);
  const isLeast = ({ roomFor }: JudgedPart) => roomFor !== null && roomFor === launch.headroom;
  const isLimiting = (part: JudgedPart) => part.limitsZone ?? (!part.isKnown || isLeast(part));
  const limiting = parts.filter((part) => part.reason === null && isLimiting(part));
  const isMuted = isLaunchMuted(thresholds, launch);
  // A blocked group falls short, too: only the worse is said.
  const mayStart = blocking.every(({ isHarmless }) => isHarmless);
  const isShort = !isMuted && mayStart && (launch.missing ?? 0) > 0;
  return {
    ...launch,
    parts,
    state: isMuted ? 'muted' : launchState(launch, blocking, isShort),
    /** Whether it is a scaling group that could start one more, and cannot reach its maximum. */
    isShort,
    /** Since when it falls short, in milliseconds since the Unix epoch. `null` if it does not, or while that is not stored. */
    shortSinceMs: isShort ? (blockedSince[partKey(launch, short)] ?? null) : null,
    /** The parts that block the launch, the critical ones first. */
    blocking,
    /**
     * The parts that limit the launch: those that block, and those that are unknown, unless a critical one blocks; without
     * both, those with the least room.
     */
    binding: blocking[0]?.severity === 'critical' ? blocking : [...blocking, ...limiting],
    /** Since when the launch is blocked, in milliseconds since the Unix epoch; `null` while unknown or not blocked. */
    sinceMs: times.length === 0 ? null : Math.min(...times),
    /** How many other templates share the quota or the subnet of the launch. */
    sharing: sharing.size,
    /** The names of the parts that each launch has, but for which no target asks here. */
    leftOut: launchParts
      .filter((row) => row.isOfEach && launch.unjudged === null)
      .flatMap((row) => (parts.some(({ part }) => part === row) ? [] : row.name)),
  };
}

/** The state of a launch that is not muted. `worst`: the first of the parts that block it, the critical ones first. */
function launchState(
  { group, parts, unjudged }: JudgedOrNot,
  [worst]: readonly JudgedPart[],
  isShort: boolean,
): LaunchState {
  if (unjudged !== null) return group !== null && idleReason(group) !== null ? 'none' : 'unjudged';
  if (worst?.severity === 'critical') return 'critical';
  // It may hide worse than a warning.
  if (parts.some(({ isKnown }) => !isKnown)) return 'unknown';
  const isTight = parts.some((part) => part.isTight);
  return worst !== undefined || isShort || isTight ? 'low' : 'fine';
}
