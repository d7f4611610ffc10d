/**
 * Judges whether one launch can succeed: by its quota, the stock of its instance type, and the free addresses of its
 * subnet. `judgeLaunches()` calls it for each launch of a region. Pure.
 */
import {
  isSameOffer,
  type Launch,
  type Offer,
  type Stock,
  type StockHistory,
  type StockRow,
  type Subnet,
} from './launch.ts';
import type { Quota } from '../quota.ts';
import type { Immutable } from '../stored.ts';
import { isGap, usePoints, type TrendInput } from '../trend.ts';

/** A quota with its use in the last 24 hours. */
export interface ObservedQuota {
  readonly quota: Quota;
  readonly observed: TrendInput;
  /** The time after a success in which the quota is not stale. */
  readonly staleAfterMs: number;
}

/** A subnet in the last answer that named it. It never leaves its zone. */
export interface ObservedSubnet extends Pick<Subnet, 'zone'> {
  /** Whether the answer is of the present: neither failing nor stale. */
  readonly isPresent: boolean;
}

/** What the targets of a region of an account say about its stock, quotas and subnets. */
export interface RegionFacts {
  readonly account: string;
  readonly region: string;
  /** `null` while it is unknown: not read yet, failing or stale. */
  readonly stock: Stock | null;
  readonly subnets: ReadonlyMap<string, ObservedSubnet>;
  /** Whether a target asks for the quota of a charge type in a zone. */
  readonly isQuotaAsked: (type: string, zone: string) => boolean;
  /** The quotas of the answers that are neither failing nor stale. */
  readonly quotas: readonly ObservedQuota[];
}

/** The parts of a launch that can block it, and for which reasons. */
export const reasonsOfPart = {
  quota: ['quota'],
  stock: ['sold-out', 'not-offered'],
  subnet: ['subnet'],
} as const;
type LaunchPart = keyof typeof reasonsOfPart;
export type LaunchReason = (typeof reasonsOfPart)[LaunchPart][number];

/** What one part says about a launch. */
export interface JudgedPart {
  readonly part: LaunchPart;
  /** `false` if an answer or a field that the judgement needs is missing, stale or unreadable. */
  readonly isKnown: boolean;
  /** How many instances the part has room for. `null` if it sets no bound, or is unknown. */
  readonly roomFor: number | null;
  /** Why the part blocks the launch; `null` if it does not. */
  readonly reason: LaunchReason | null;
  readonly severity: 'critical' | 'warning';
  /** Since when the part blocks, in milliseconds since the Unix epoch. `null` if it does not, or the records do not know. */
  readonly sinceMs: number | null;
  /** For the part `subnet`: the subnet with the most room. `null` for other parts, and while none is known. */
  readonly subnet: string | null;
}

/** A launch with what its parts say about it. */
export type JudgedLaunch = Immutable<ReturnType<typeof judgeInZone>>;

/** Judges a launch. If nothing names its zone, each candidate zone is judged and the best one counts. */
export function judgeLaunch(launch: Launch, facts: RegionFacts): JudgedLaunch {
  const named = namedZone(launch, facts);
  const candidates = named === '' ? candidateZones(launch, facts) : [];
  const zones = candidates.length > 0 ? candidates : [named];
  const judged = zones.map((zone) => judgeInZone(launch, zone, facts));
  const best = judged.reduce((a, b) => (compareLaunches(a, b) > 0 ? b : a));
  return { ...best, zone: named };
}

/** The zone of the launch, or that of all its subnets. Empty if nothing names one; `null` while it is unknown. */
function namedZone({ subnets, zone }: Launch, facts: RegionFacts): string | null {
  if (zone !== '') return zone;
  const zones = new Set<string>();
  for (const id of subnets ?? []) {
    const subnet = facts.subnets.get(id);
    if (subnet === undefined) return null;
    if (subnet.zone !== null) zones.add(subnet.zone);
    else if (!subnet.isPresent) return null;
  }
  const [firstZone = '', ...otherZones] = zones;
  return otherZones.length === 0 ? firstZone : '';
}

/** The zones that sell the instance type, or did. If there are none, those with a quota of the charge type. */
function candidateZones(launch: Launch, { quotas, stock }: RegionFacts): string[] {
  const withStock = [...(stock?.rows ?? []), ...(stock?.histories ?? [])]
    .filter((row) => isSameOffer(launch, row))
    .map(({ zone }) => zone);
  const withQuota = quotas.flatMap(({ quota: { type, zone } }) =>
    type === launch.chargeType ? (zone ?? []) : [],
  );
  return [...new Set(withStock.length > 0 ? withStock : withQuota)];
}

/** Orders the judgements of a launch in several zones: not blocked, then unknown, then blocked; the most room first. */
function compareLaunches(a: JudgedLaunch, b: JudgedLaunch): number {
  return rankOf(a) - rankOf(b) || (b.headroom ?? 0) - (a.headroom ?? 0);
}

function rankOf({ parts }: JudgedLaunch): number {
  if (parts.some(({ reason }) => reason !== null)) return 2;
  return parts.some(({ isKnown }) => !isKnown) ? 1 : 0;
}

function judgeInZone(launch: Launch, zone: string | null, facts: RegionFacts) {
  const judgedZone = zone ?? '';
  const parts = [
    quotaPart(launch, judgedZone, facts),
    stockPart(launch, zone, facts),
    subnetPart(launch, judgedZone, facts),
  ].filter((part) => part !== null);
  const ofType = (facts.stock?.rows ?? []).filter((row) => isSameOffer(launch, row));
  return {
    ...launch,
    account: facts.account,
    region: facts.region,
    /** The zone that was judged. Differs from `zone` if nothing names one: the best zone counts. */
    judgedZone,
    parts,
    /** How many instances this launch alone could start. `null` if it is unknown, or nothing bounds it. */
    headroom: headroomOf(parts),
    /** The stock in its zone; `null` if it is unknown. */
    stock: ofType.find((row) => row.zone === zone) ?? null,
    /** The zones in which its type sells now. */
    soldIn: ofType.filter(({ sells }) => sells === true).map((row) => row.zone),
  };
}

/** 0 if a part has room for none, whatever is unknown. Else `null` if a part is unknown, and the least room otherwise. */
function headroomOf(parts: readonly JudgedPart[]): number | null {
  const least = Math.min(...parts.map(({ roomFor }) => roomFor ?? Infinity));
  const isKnown = least === 0 || parts.every((part) => part.isKnown);
  return isKnown && least < Infinity ? least : null;
}

function unknownPart(part: LaunchPart): JudgedPart {
  const rest = { roomFor: null, reason: null, sinceMs: null, subnet: null };
  return { part, isKnown: false, severity: 'critical', ...rest };
}

/** The room for instances in a quota or a subnet. */
interface Room {
  /** How many instances. */
  readonly roomFor: number;
  /** The quota that sets the bound; absent if something else does. */
  readonly quota?: ObservedQuota | undefined;
  /** How much of the quota an instance takes. */
  readonly perInstance: number;
  readonly subnet?: string;
}

/** The room in a quota; `null` while that is unknown. */
function roomOf(quota: ObservedQuota | undefined, perInstance: number | null): Room | null {
  const remaining = quota?.quota.remaining ?? null;
  if (remaining === null) return null;
  if (remaining <= 0) return { roomFor: 0, quota, perInstance: perInstance ?? 1 };
  return perInstance ? { roomFor: Math.floor(remaining / perInstance), quota, perInstance } : null;
}

/** The judgement of a part with this room: it blocks if the launch needs more. */
function boundedPart(part: 'quota' | 'subnet', room: Room | null, { count }: Launch): JudgedPart {
  // An unreadable count is at least 1: only a part without room is known to block.
  if (room === null || (count === null && room.roomFor > 0)) return unknownPart(part);
  const { roomFor, perInstance, quota, subnet = null } = room;
  const needed = count ?? 1;
  const free = { ...unknownPart(part), isKnown: true, roomFor, subnet };
  if (roomFor >= needed) return free;
  const sinceMs = quota ? shortSince(quota, needed * perInstance) : null;
  return { ...free, reason: part, sinceMs };
}

/** The quota of the charge type in a zone. `null` if no target asks for it. */
function quotaPart(launch: Launch, zone: string, facts: RegionFacts): JudgedPart | null {
  const { chargeType, count } = launch;
  if (chargeType === null) return unknownPart('quota');
  if (!facts.isQuotaAsked(chargeType, zone)) return null;
  const found = facts.quotas.find(({ quota }) => quota.type === chargeType && quota.zone === zone);
  const part = boundedPart('quota', roomOf(found, quotaPerInstance(launch, facts)), launch);
  const onceLimit = found?.quota.onceLimit ?? Infinity;
  const isTooMany = part.isKnown && (count ?? 0) > onceLimit;
  return isTooMany ? { ...part, reason: 'quota', sinceMs: null } : part;
}

/** How much of its quota an instance takes: 1, or its vCPUs of a spot quota. `null` while that is unknown. */
function quotaPerInstance({ chargeType, instanceType }: Launch, { stock }: RegionFacts) {
  if (chargeType !== 'spotpaid') return 1;
  const rows = stock?.rows.filter((row) => row.instanceType === instanceType) ?? [];
  return rows.find(({ cpu }) => cpu !== null)?.cpu ?? null;
}

/**
 * Since when less than this remains of a quota, by the points of its trend (24 hours) and its present limit. An unknown
 * point and a gap end the search. `null` if enough remains at the last point.
 */
function shortSince({ quota, observed, staleAfterMs }: ObservedQuota, needed: number) {
  const points = usePoints(observed, quota);
  const before = points.findLastIndex(
    (point, i) =>
      point.used === null ||
      quota.limit - point.used >= needed ||
      isGap(observed, point, points[i + 1] ?? point, staleAfterMs),
  );
  return points[before + 1]?.atMs ?? null;
}

/** The stock of the instance type in a zone. `null` is an unknown zone. */
function stockPart(launch: Launch, zone: string | null, { stock }: RegionFacts): JudgedPart {
  const isSame = (row: Offer) => isSameOffer(launch, row);
  if (zone === null || !stock?.asked.some(isSame)) return unknownPart('stock');
  const isHere = (row: StockRow | StockHistory) => isSame(row) && row.zone === zone;
  const row = stock.rows.find(isHere);
  const history = stock.histories.find(isHere);
  const isAbsent = stock.absent.some((offer) => isSame(offer) && [zone, ''].includes(offer.zone));
  if (row === undefined ? !isAbsent : row.sells === null) return unknownPart('stock');
  const free = { ...unknownPart('stock'), isKnown: true };
  if (row?.sells === true) return free;
  const blocked = { ...free, roomFor: 0, sinceMs: history?.changedAtMs ?? null };
  if (row !== undefined) {
    const severity = launch.chargeType === 'spotpaid' ? 'warning' : 'critical';
    return { ...blocked, reason: 'sold-out', severity };
  }
  const isExpected = launch.isZoneNamed || history?.wasOffered === true;
  return { ...blocked, reason: 'not-offered', severity: isExpected ? 'critical' : 'warning' };
}

/** The addresses of the subnets, of which the one with the most room counts. `null` for a launch that names none. */
function subnetPart(launch: Launch, zone: string, facts: RegionFacts): JudgedPart | null {
  const { subnets } = launch;
  if (subnets === null) return unknownPart('subnet');
  if (subnets.length === 0) return null;
  const rooms = subnets.flatMap((id) => roomIn(id, zone, facts) ?? []);
  const [most = null] = rooms.toSorted((a, b) => b.roomFor - a.roomFor);
  const part = boundedPart('subnet', most, launch);
  const areAllKnown = rooms.length === subnets.length;
  return part.reason === null || areAllKnown ? part : unknownPart('subnet');
}

/** The room in a subnet; `null` while it is unknown. None in another zone, and if a complete answer does not name it. */
function roomIn(subnet: string, zone: string, { quotas, subnets }: RegionFacts): Room | null {
  const observed = subnets.get(subnet);
  if (observed?.isPresent !== true) return null;
  const isElsewhere = observed.zone === null || (zone !== '' && zone !== observed.zone);
  if (isElsewhere) return { roomFor: 0, perInstance: 1, subnet };
  const found = quotas.find(({ quota }) => quota.labels?.['subnet_id'] === subnet);
  const room = roomOf(found, 1);
  return room && { ...room, subnet };
}
