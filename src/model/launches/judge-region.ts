/**
 * Judges all launches of a region, for metrics, pages, JSON and `check`: each with its state, and with the number of other
 * templates that share its quota or subnet. Pure.
 */
import {
  judgeLaunch,
  type JudgedLaunch,
  type JudgedPart,
  type RegionFacts,
} from './judge-launch.ts';
import type { LaunchFacts } from './launch.ts';
import { isReportable, type Quota, type ReportableQuotas } from '../quota.ts';
import { isLaunchMuted, type Thresholds } from '../thresholds.ts';
import type { TrendInput } from '../trend.ts';

/**
 * A launch, judged or not. `unjudged`: why it is not judged; `null` if it is. A launch that is not judged has a template, a
 * version, and nothing else.
 */
type JudgedOrNot = JudgedLaunch & { readonly unjudged: string | null };

/** A launch with its judgement and its state. */
export type EvaluatedLaunch = Readonly<ReturnType<typeof evaluateLaunch>>;

/**
 * `low`: a part blocks it with the severity `warning`, or its stock is nearly gone. `fine`: no part that is read blocks it.
 * `none`: it is not judged.
 */
export type LaunchState = 'critical' | 'low' | 'unknown' | 'fine' | 'muted' | 'none';

const notJudged = {
  unjudged: 'its template was not read for too long',
  ...{ zone: null, isZoneNamed: false, instanceType: null, chargeType: null, subnets: null },
  ...{ subnetsBindOwnZonesOnly: false, ipv6Count: null, isVersionKnown: false },
  ...{ count: null, judgedZone: '', parts: [], headroom: null, stock: null, soldIn: [] },
};

/** What the record of one target says about the launches of its region. */
export interface TargetFacts extends LaunchFacts {
  /** Whether the last success of the target is not too long ago. A fresh target may be failing. */
  readonly isFresh: boolean;
  /** Whether its answer is of the present: neither failing nor stale. */
  readonly isUp: boolean;
  readonly quotas: readonly Quota[];
  readonly observed: TrendInput;
  readonly staleAfterMs: number;
  /** The quotas that the target asks for. */
  readonly reportable: readonly ReportableQuotas[];
}

/**
 * Judges all launches of a region of an account. None if no target asks for its stock. The quotas, stock and subnets of
 * targets that fail or are stale count as unknown.
 *
 * @param targets of the region
 * @param thresholds without the overrides that have ended
 */
export function judgeLaunches(
  { account, region }: Pick<RegionFacts, 'account' | 'region'>,
  targets: readonly TargetFacts[],
  thresholds: Pick<Thresholds, 'overrides'>,
): readonly EvaluatedLaunch[] {
  const ofStock = targets.find(({ stock }) => stock !== undefined);
  if (ofStock === undefined) return [];
  const reportable = targets.flatMap((target) => target.reportable);
  const facts: RegionFacts = {
    account,
    region,
    stock: ofStock.isUp ? (ofStock.stock ?? null) : null,
    subnets: new Map(
      targets.flatMap(({ isUp, subnets = [] }) =>
        subnets.map(({ id, isGone, isKnown, zone }) => {
          return [id, { zone: isGone ? null : zone, isPresent: isUp && isKnown }] as const;
        }),
      ),
    ),
    isQuotaAsked: (type, zone) => isReportable(reportable, { type, zone: zone || null }),
    quotas: targets.flatMap(({ isUp, quotas, observed, staleAfterMs }) =>
      isUp ? quotas.map((quota) => ({ quota, observed, staleAfterMs })) : [],
    ),
  };
  const launches = targets.flatMap(({ isFresh, launches: ofTarget = [] }) =>
    ofTarget.map((launch): JudgedOrNot => {
      const isRead = isFresh || launch.templateId === '';
      return isRead && !('unjudged' in launch)
        ? { ...judgeLaunch(launch, facts), unjudged: null }
        : { ...notJudged, account, region, ...launch };
    }),
  );
  const users = usersByNeed(launches);
  return launches.map((launch) => evaluateLaunch(launch, thresholds, users));
}

/** The names of what a launch may share with others: a quota of a zone, or a subnet. */
function needsOf({ chargeType, judgedZone, parts }: JudgedLaunch): readonly string[] {
  return parts.flatMap(({ part, subnet }) =>
    part === 'quota' ? `${chargeType} ${judgedZone}` : (subnet ?? []),
  );
}

/** The IDs of the templates that need each of {@link needsOf}. */
function usersByNeed(launches: readonly JudgedLaunch[]): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  for (const launch of launches) {
    if (launch.templateId === '') continue;
    for (const need of needsOf(launch)) {
      users.set(need, (users.get(need) ?? new Set()).add(launch.templateId));
    }
  }
  return users;
}

/** @param users the templates that need each of {@link needsOf} */
function evaluateLaunch(
  launch: JudgedOrNot,
  thresholds: Pick<Thresholds, 'overrides'>,
  users: ReadonlyMap<string, ReadonlySet<string>>,
) {
  const blocking = launch.parts
    .filter(({ reason }) => reason !== null)
    .toSorted((a, b) => Number(b.severity === 'critical') - Number(a.severity === 'critical'));
  const times = blocking.flatMap(({ sinceMs }) => sinceMs ?? []);
  const sharing = new Set(needsOf(launch).flatMap((need) => [...(users.get(need) ?? [])]));
  sharing.delete(launch.templateId);
  const isTightest = ({ roomFor, isKnown }: JudgedPart) =>
    !isKnown || (roomFor !== null && roomFor === launch.headroom);
  return {
    ...launch,
    state: launchState(launch, blocking, isLaunchMuted(thresholds, launch)),
    /** The parts that block the launch, the critical ones first. */
    blocking,
    /** The parts that limit the launch: those that block, else those that are unknown or have the least room. */
    binding: blocking.length > 0 ? blocking : launch.parts.filter(isTightest),
    /** Since when the launch is blocked, in milliseconds since the Unix epoch; `null` while unknown or not blocked. */
    sinceMs: times.length === 0 ? null : Math.min(...times),
    /** How many other templates share the quota or the subnet of the launch. */
    sharing: sharing.size,
  };
}

function launchState(
  { parts, stock, unjudged }: JudgedOrNot,
  [worst]: readonly JudgedPart[],
  isMuted: boolean,
): LaunchState {
  if (unjudged !== null) return 'none';
  if (isMuted) return 'muted';
  if (worst !== undefined) return worst.severity === 'critical' ? 'critical' : 'low';
  if (parts.some(({ isKnown }) => !isKnown)) return 'unknown';
  return stock?.level === 1 ? 'low' : 'fine';
}
