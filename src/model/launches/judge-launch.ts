/** Whether a launch can succeed: its quota, the stock of its instance type, and the addresses of its subnet. Pure. */
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
import { isGap, usePoints, type Trended } from '../trend.ts';

/** A quota, and what its record saw. */
export interface ObservedQuota {
  readonly quota: Quota;
  readonly observed: Trended;
  /** The time after a success in which the quota is not stale. */
  readonly staleAfterMs: number;
}

/** A subnet in the last answer that named it. It never leaves its zone. */
export interface ObservedSubnet extends Pick<Subnet, 'zone'> {
  /** Whether the answer is of the present: neither failing nor stale. */
  readonly isPresent: boolean;
}

/** Where launches happen: a region of an account. */
export interface LaunchPlace {
  readonly account: string;
  readonly region: string;
  /** `null` while it is unknown: not read yet, failing or stale. */
  readonly stock: Stock | null;
  readonly subnets: ReadonlyMap<string, ObservedSubnet>;
  /** Whether the quotas of a charge type are asked for in a zone. */
  readonly asksQuota: (type: string, zone: string) => boolean;
  /** The quotas that are known now. */
  readonly quotas: readonly ObservedQuota[];
}

/** The parts of a launch, and the reasons of each if it is known. */
export const reasonsOfPart = {
  quota: ['quota'],
  stock: ['sold-out', 'not-offered'],
  subnet: ['subnet'],
} as const;
type LaunchPart = keyof typeof reasonsOfPart;
export type LaunchReason = (typeof reasonsOfPart)[LaunchPart][number];

/** A part that applies. */
export interface JudgedPart {
  readonly part: LaunchPart;
  readonly isKnown: boolean;
  /** How many instances it has room for. `null` if it sets no bound, or is unknown. */
  readonly holds: number | null;
  /** `null` if it does not block. */
  readonly reason: LaunchReason | null;
  readonly severity: 'critical' | 'warning';
  /** Since when it blocks, in milliseconds since the Unix epoch, as far as the records know. `null` if they do not. */
  readonly sinceMs: number | null;
  /** The subnet with the most room. */
  readonly subnet: string | null;
}

export interface JudgedLaunch extends Launch {
  readonly account: string;
  readonly region: string;
  /** The zone that was judged. Differs from `zone` if nothing names one: the best zone counts. */
  readonly judgedZone: string;
  readonly parts: readonly JudgedPart[];
  /** How many instances this launch alone could start. `null` if it is unknown, or nothing bounds it. */
  readonly headroom: number | null;
  /** The stock in its zone; `null` if it is unknown. */
  readonly stock: StockRow | null;
  /** The zones in which its type sells now. */
  readonly soldIn: readonly string[];
}

/** Judges a launch by what is known. Without a named zone, the best zone counts. */
export function judgeLaunch(launch: Launch, place: LaunchPlace): JudgedLaunch {
  const named = namedZone(launch, place);
  const candidates = named === '' ? candidateZones(launch, place) : [];
  const zones = candidates.length > 0 ? candidates : [named];
  const judged = zones.map((zone) => judgeInZone(launch, zone, place));
  const best = judged.reduce((a, b) => (compareLaunches(a, b) > 0 ? b : a));
  return { ...best, zone: named };
}

/** `null` while it is unknown. */
function namedZone({ subnets, zone }: Launch, place: LaunchPlace): string | null {
  if (zone !== '') return zone;
  const zones = new Set<string>();
  for (const id of subnets ?? []) {
    const subnet = place.subnets.get(id);
    if (subnet === undefined) return null;
    if (subnet.zone !== null) zones.add(subnet.zone);
    else if (!subnet.isPresent) return null;
  }
  const [only = '', ...others] = zones;
  return others.length === 0 ? only : '';
}

/** The zones that sell the type, or did. If none does, those with a quota of the charge type. */
function candidateZones(launch: Launch, { quotas, stock }: LaunchPlace): string[] {
  const selling = [...(stock?.rows ?? []), ...(stock?.histories ?? [])]
    .filter((row) => isSameOffer(launch, row))
    .map(({ zone }) => zone);
  const counting = quotas.flatMap(({ quota: { type, zone } }) =>
    type === launch.chargeType ? (zone ?? []) : [],
  );
  return [...new Set(selling.length > 0 ? selling : counting)];
}

/** The better one first: one that is not blocked, is known, and has the most room. */
function compareLaunches(a: JudgedLaunch, b: JudgedLaunch): number {
  return rankOf(a) - rankOf(b) || (b.headroom ?? 0) - (a.headroom ?? 0);
}

function rankOf({ parts }: JudgedLaunch): number {
  if (parts.some(({ reason }) => reason !== null)) return 2;
  return parts.some(({ isKnown }) => !isKnown) ? 1 : 0;
}

function judgeInZone(launch: Launch, zone: string | null, place: LaunchPlace): JudgedLaunch {
  const judgedZone = zone ?? '';
  const parts = [
    quotaPart(launch, judgedZone, place),
    stockPart(launch, zone, place),
    subnetPart(launch, judgedZone, place),
  ].filter((part) => part !== null);
  const ofType = (place.stock?.rows ?? []).filter((row) => isSameOffer(launch, row));
  return {
    ...launch,
    account: place.account,
    region: place.region,
    judgedZone,
    parts,
    headroom: headroomOf(parts),
    stock: ofType.find((row) => row.zone === zone) ?? null,
    soldIn: ofType.filter(({ sells }) => sells === true).map((row) => row.zone),
  };
}

/** 0 as soon as one known part holds 0. Else unknown while a part is, and the least number otherwise. */
function headroomOf(parts: readonly JudgedPart[]): number | null {
  const least = Math.min(...parts.map(({ holds }) => holds ?? Infinity));
  const isKnown = least === 0 || parts.every((part) => part.isKnown);
  return isKnown && least < Infinity ? least : null;
}

function unknownPart(part: LaunchPart): JudgedPart {
  const nothing = { holds: null, reason: null, sinceMs: null, subnet: null };
  return { part, isKnown: false, severity: 'critical', ...nothing };
}

/** The room for instances. */
interface Room {
  readonly holds: number;
  /** The quota that bounds it; absent if something else does. */
  readonly quota?: ObservedQuota | undefined;
  /** How much of the quota an instance takes. */
  readonly perInstance: number;
  readonly subnet?: string;
}

/** `null` if it is unknown. */
function roomOf(quota: ObservedQuota | undefined, perInstance: number | null): Room | null {
  const remaining = quota?.quota.remaining ?? null;
  if (remaining === null) return null;
  if (remaining <= 0) return { holds: 0, quota, perInstance: perInstance ?? 1 };
  return perInstance ? { holds: Math.floor(remaining / perInstance), quota, perInstance } : null;
}

/** A part with so much room. It blocks if that is less than the launch needs. */
function boundedPart(part: 'quota' | 'subnet', room: Room | null, { count }: Launch): JudgedPart {
  // Any launch starts an instance.
  if (room === null || (count === null && room.holds > 0)) return unknownPart(part);
  const { holds, perInstance, quota, subnet = null } = room;
  const needed = count ?? 1;
  const known = { ...unknownPart(part), isKnown: true, holds, subnet };
  if (holds >= needed) return known;
  return {
    ...known,
    reason: part,
    sinceMs: quota ? shortSince(quota, needed * perInstance) : null,
  };
}

/** `null` if it cannot be asked. */
function quotaPart(launch: Launch, zone: string, place: LaunchPlace): JudgedPart | null {
  const { chargeType, count } = launch;
  if (chargeType === null) return unknownPart('quota');
  if (!place.asksQuota(chargeType, zone)) return null;
  const found = place.quotas.find(({ quota }) => quota.type === chargeType && quota.zone === zone);
  const part = boundedPart('quota', roomOf(found, takenOf(launch, place)), launch);
  const onceLimit = found?.quota.onceLimit ?? Infinity;
  const isTooMany = part.isKnown && (count ?? 0) > onceLimit;
  return isTooMany ? { ...part, reason: 'quota', sinceMs: null } : part;
}

/** How much of its quota an instance takes: spot quotas count vCPUs. `null` while it is unknown. */
function takenOf({ chargeType, instanceType }: Launch, { stock }: LaunchPlace): number | null {
  if (chargeType !== 'spotpaid') return 1;
  const rows = stock?.rows.filter((row) => row.instanceType === instanceType) ?? [];
  return rows.find(({ cpu }) => cpu !== null)?.cpu ?? null;
}

/**
 * Since when less than this remains of a quota with its present limit: what is not known interrupts it. The trend
 * knows 24 hours.
 */
function shortSince(
  { quota, observed, staleAfterMs }: ObservedQuota,
  needed: number,
): number | null {
  const points = usePoints(observed, quota);
  const before = points.findLastIndex(
    (point, i) =>
      point.used === null ||
      quota.limit - point.used >= needed ||
      isGap(observed, point, points[i + 1] ?? point, staleAfterMs),
  );
  return points[before + 1]?.atMs ?? null;
}

function stockPart(launch: Launch, zone: string | null, { stock }: LaunchPlace): JudgedPart {
  const isOwn = (row: Offer) => isSameOffer(launch, row);
  if (zone === null || !stock?.asked.some(isOwn)) return unknownPart('stock');
  const isHere = (row: StockRow | StockHistory) => isOwn(row) && row.zone === zone;
  const row = stock.rows.find(isHere);
  const history = stock.histories.find(isHere);
  if (row === undefined ? !stock.isWhole : row.sells === null) return unknownPart('stock');
  const known = { ...unknownPart('stock'), isKnown: true };
  if (row?.sells === true) return known;
  const blocked = { ...known, holds: 0, sinceMs: history?.changedAtMs ?? null };
  if (row !== undefined) {
    const severity = launch.chargeType === 'spotpaid' ? 'warning' : 'critical';
    return { ...blocked, reason: 'sold-out', severity };
  }
  const isExpected = launch.isZoneNamed || history?.wasOffered === true;
  return { ...blocked, reason: 'not-offered', severity: isExpected ? 'critical' : 'warning' };
}

/** `null` for a launch that names no subnet. Of several subnets, the one with the most room counts. */
function subnetPart(launch: Launch, zone: string, place: LaunchPlace): JudgedPart | null {
  const { subnets } = launch;
  if (subnets === null) return unknownPart('subnet');
  if (subnets.length === 0) return null;
  const rooms = subnets.flatMap((id) => roomIn(id, zone, place) ?? []);
  const [most = null] = rooms.toSorted((a, b) => b.holds - a.holds);
  const part = boundedPart('subnet', most, launch);
  const areAllKnown = rooms.length === subnets.length;
  return part.reason === null || areAllKnown ? part : unknownPart('subnet');
}

/** `null` if it is unknown. 0 in a subnet of another zone, and in one that a complete answer does not name. */
function roomIn(subnet: string, zone: string, { quotas, subnets }: LaunchPlace): Room | null {
  const known = subnets.get(subnet);
  if (known?.isPresent !== true) return null;
  const isElsewhere = known.zone === null || (zone !== '' && zone !== known.zone);
  if (isElsewhere) return { holds: 0, perInstance: 1, subnet };
  const found = quotas.find(({ quota }) => quota.labels?.['subnet_id'] === subnet);
  const room = roomOf(found, 1);
  return room && { ...room, subnet };
}
