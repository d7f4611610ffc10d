/** The launches of a region, each with a word for it, and what it shares with the others. Pure. */
import {
  judgeLaunch,
  type JudgedLaunch,
  type JudgedPart,
  type LaunchPlace,
} from './judge-launch.ts';
import type { LaunchFacts } from './launch.ts';
import { isReportable, type Quota, type ReportableQuotas } from '../quota.ts';
import { isLaunchMuted, type Thresholds } from '../thresholds.ts';
import type { Trended } from '../trend.ts';

/** A launch that is judged, or not. */
interface FoundLaunch extends JudgedLaunch {
  /** Why it is not judged; `null` if it is. Such a launch has a template, a version, and nothing else. */
  readonly unjudged: string | null;
}

/** A launch, what its parts make of it, and what it shares with the other launches of its region. */
export type LaunchRow = Readonly<ReturnType<typeof rowOf>>;

/**
 * `low`: it is blocked in a way that may pass, or its stock is nearly gone. `fine`: nothing stops it, as far as is
 * read. `none`: it is not judged.
 */
export type LaunchState = 'critical' | 'low' | 'unknown' | 'fine' | 'muted' | 'none';

const notJudged = {
  unjudged: 'its template was not read for too long',
  ...{ zone: null, isZoneNamed: false, instanceType: null, chargeType: null, subnets: null },
  ...{ count: null, judgedZone: '', parts: [], headroom: null, stock: null, soldIn: [] },
};

/** What the record of a target says about the launches of its place. */
export interface PlaceFacts extends LaunchFacts {
  readonly isFresh: boolean;
  /** Whether its answer is of the present: neither failing nor stale. */
  readonly isUp: boolean;
  readonly quotas: readonly Quota[];
  readonly observed: Trended;
  readonly staleAfterMs: number;
  /** The quotas that the target asks for. */
  readonly reportable: readonly ReportableQuotas[];
}

/**
 * Judges all launches of a region of an account. None if no stock is watched there. A record that fails or is stale
 * says nothing.
 *
 * @param thresholds without the overrides that have ended
 */
export function judgeLaunches(
  { account, region }: Pick<LaunchPlace, 'account' | 'region'>,
  facts: readonly PlaceFacts[],
  thresholds: Pick<Thresholds, 'overrides'>,
): readonly LaunchRow[] {
  const ofStock = facts.find(({ stock }) => stock !== undefined);
  if (ofStock === undefined) return [];
  const reportable = facts.flatMap((each) => each.reportable);
  const place: LaunchPlace = {
    account,
    region,
    stock: ofStock.isUp ? (ofStock.stock ?? null) : null,
    subnets: new Map(
      facts.flatMap(({ isUp, subnets = [] }) =>
        subnets.map(({ id, zone }) => [id, { zone, isPresent: isUp }] as const),
      ),
    ),
    asksQuota: (type, zone) => isReportable(reportable, { type, zone: zone || null }),
    quotas: facts.flatMap(({ isUp, quotas, observed, staleAfterMs }) =>
      isUp ? quotas.map((quota) => ({ quota, observed, staleAfterMs })) : [],
    ),
  };
  const launches = facts.flatMap(({ isFresh, launches: some = [] }) =>
    some.map((launch): FoundLaunch => {
      const isRead = isFresh || launch.templateId === '';
      return isRead && !('unjudged' in launch)
        ? { ...judgeLaunch(launch, place), unjudged: null }
        : { ...notJudged, account, region, ...launch };
    }),
  );
  const users = usersByNeed(launches);
  return launches.map((launch) => rowOf(launch, thresholds, users));
}

/** What a launch shares with others: a quota of a zone, or a subnet. */
function needsOf({ chargeType, judgedZone, parts }: JudgedLaunch): readonly string[] {
  return parts.flatMap(({ part, subnet }) =>
    part === 'quota' ? `${chargeType} ${judgedZone}` : (subnet ?? []),
  );
}

/** The templates that need the same. */
function usersByNeed(rows: readonly JudgedLaunch[]): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  for (const row of rows) {
    for (const need of row.templateId === '' ? [] : needsOf(row)) {
      users.set(need, (users.get(need) ?? new Set()).add(row.templateId));
    }
  }
  return users;
}

function rowOf(
  launch: FoundLaunch,
  thresholds: Pick<Thresholds, 'overrides'>,
  users: ReadonlyMap<string, ReadonlySet<string>>,
) {
  const blocking = launch.parts
    .filter(({ reason }) => reason !== null)
    .toSorted((a, b) => Number(b.severity === 'critical') - Number(a.severity === 'critical'));
  const times = blocking.flatMap(({ sinceMs }) => sinceMs ?? []);
  const sharing = new Set(needsOf(launch).flatMap((need) => [...(users.get(need) ?? [])]));
  sharing.delete(launch.templateId);
  return {
    ...launch,
    state: launchState(launch, blocking, isLaunchMuted(thresholds, launch)),
    /** The parts that block it, the worst first. */
    blocking,
    /** What binds: each part that blocks, else those that are unknown, else those with the least room. */
    binding: blocking.length > 0 ? blocking : launch.parts.filter((part) => bounds(part, launch)),
    /** Since when it is blocked, in milliseconds since the Unix epoch, as far as that is known. */
    sinceMs: times.length === 0 ? null : Math.min(...times),
    /** How many other templates share its quota, or its subnet. */
    sharing: sharing.size,
  };
}

function bounds({ holds, isKnown }: JudgedPart, { headroom }: JudgedLaunch): boolean {
  return !isKnown || (holds !== null && holds === headroom);
}

function launchState(
  { parts, stock, unjudged }: FoundLaunch,
  [worst]: readonly JudgedPart[],
  isMuted: boolean,
): LaunchState {
  if (unjudged !== null) return 'none';
  if (isMuted) return 'muted';
  if (worst !== undefined) return worst.severity === 'critical' ? 'critical' : 'low';
  if (parts.some(({ isKnown }) => !isKnown)) return 'unknown';
  return stock?.level === 1 ? 'low' : 'fine';
}
