/**
 * Judges whether one launch can succeed: by its version, its quota, the stock of its instance type, and the free addresses
 * of its subnet. `judgeTargets()` calls it for each launch of a region. Pure.
 */
import {
  chargeTypes,
  isSameOffer,
  otherZones,
  type Launch,
  type Offer,
  type Stock,
  type Subnet,
} from './launch.ts';
import { pollsToAbsent } from '../inventory.ts';
import type { Quota } from '../quota.ts';
import type { Immutable } from '../stored.ts';

/** A subnet in the last answer about it. */
export interface ObservedSubnet extends Omit<Subnet, 'id'> {
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
  /** Whether a target asks for the quota of a charge type in a zone. An empty zone: in any. */
  readonly isQuotaAsked: (type: string, zone: string) => boolean;
  /** The quotas of the answers that are neither failing nor stale. */
  readonly quotas: readonly Quota[];
}

/** The parts of a launch that can block it, and for which reasons. */
export const reasonsOfPart = {
  version: ['refused'],
  quota: ['quota'],
  stock: ['sold-out', 'not-offered'],
  subnet: ['subnet'],
} as const;
export type LaunchPart = keyof typeof reasonsOfPart;
export type LaunchReason = (typeof reasonsOfPart)[LaunchPart][number];

/** What one part says about a launch. */
export interface JudgedPart {
  readonly part: LaunchPart;
  /** `false` if an answer or a field that the judgement needs is missing, stale or unreadable. */
  readonly isKnown: boolean;
  /** How many instances the part holds. `null` if it sets no bound, or is unknown. */
  readonly roomFor: number | null;
  /** Why the part blocks the launch; `null` if it does not. */
  readonly reason: LaunchReason | null;
  readonly severity: 'critical' | 'warning';
  /** For the part `quota`: more remains, but one purchase may not take it. */
  readonly isByPurchase: boolean;
  /** For the part `subnet`: the subnet that holds most. `null` for other parts, and while it is unknown. */
  readonly subnet: string | null;
}

/** A launch with what its parts say about it. */
export type JudgedLaunch = Immutable<ReturnType<typeof judgeInZone>>;

/**
 * Judges a launch. If nothing names its zone, each candidate zone is judged and the best one counts.
 *
 * @param isRead whether the template that has the launch is up: neither failing nor stale
 */
export function judgeLaunch(launch: Launch, isRead: boolean, facts: RegionFacts): JudgedLaunch {
  const named = namedZone(launch, facts);
  const zones = named === '' ? candidateZones(launch, facts) : [named];
  const isZoneNamed = launch.isZoneNamed || (launch.zone === '' && named !== '');
  const judged = zones.map((zone) => judgeInZone({ ...launch, isZoneNamed }, zone, isRead, facts));
  const best = judged.reduce((a, b) => (compareLaunches(a, b) > 0 ? b : a));
  return { ...best, zone: named };
}

/** The zone of the launch, or that of all its subnets. Empty if nothing names one; `null` while it is unknown. */
function namedZone(
  { subnets, subnetsBindOwnZonesOnly, zone }: Launch,
  facts: RegionFacts,
): string | null {
  if (zone !== '' || subnetsBindOwnZonesOnly) return zone;
  if (subnets === null) return null;
  const zones = new Set<string>();
  for (const id of subnets) {
    const subnet = facts.subnets.get(id);
    if (subnet === undefined) return null;
    if (subnet.zone !== null) zones.add(subnet.zone);
    else if (!subnet.isPresent || !subnet.isGone) return null;
  }
  const [firstZone = '', ...otherZones] = zones;
  return otherZones.length === 0 ? firstZone : '';
}

/**
 * The zones that sell the instance type, or did, by name. If there are none, those with a quota of the charge type; without
 * these either, the empty zone. At the end `null`, for a further zone that the stock may have while it is not wholly known.
 */
function candidateZones(
  launch: Launch,
  { quotas, stock }: RegionFacts,
): readonly (string | null)[] {
  const isSame = (offer: Offer) => isSameOffer(launch, offer);
  const { rows = [], histories = [], asked = [], isWhole = false } = stock ?? {};
  const wereOffered = histories.filter(({ wasOffered }) => wasOffered);
  const withStock = [...rows, ...wereOffered].filter(isSame).map(({ zone }) => zone);
  const withQuota = quotas.flatMap(({ type, zone }) =>
    type === launch.chargeType ? (zone ?? []) : [],
  );
  const zones = [...new Set(withStock.length > 0 ? withStock : withQuota)].toSorted();
  if (!isWhole || !asked.some(isSame)) return [...zones, null];
  return zones.length > 0 ? zones : [''];
}

/** Orders the judgements of a launch in several zones: not blocked, then unknown, then blocked; the most room first. */
function compareLaunches(a: JudgedLaunch, b: JudgedLaunch): number {
  return rankOf(a) - rankOf(b) || (b.headroom ?? 0) - (a.headroom ?? 0);
}

function rankOf({ parts }: JudgedLaunch): number {
  if (parts.some(({ reason }) => reason !== null)) return 2;
  return parts.some(({ isKnown }) => !isKnown) ? 1 : 0;
}

/** @param zone empty for a type that no zone sells, `null` while it is unknown */
function judgeInZone(launch: Launch, zone: string | null, isRead: boolean, facts: RegionFacts) {
  const parts = [
    versionPart(launch, isRead),
    quotaPart(launch, zone, facts),
    stockPart(launch, zone, facts),
    subnetPart(launch, zone, facts),
  ].filter((part) => part !== null);
  const ofType = (facts.stock?.rows ?? []).filter((row) => isSameOffer(launch, row));
  return {
    ...launch,
    account: facts.account,
    region: facts.region,
    /** The zone that was judged; empty while it is unknown. Differs from `zone` if nothing names one: the best zone counts. */
    judgedZone: zone ?? '',
    parts,
    /** How many instances this launch alone could start. `null` if it is unknown, or nothing bounds it. */
    headroom: headroomOf(parts),
    /** The stock in its zone; `null` if it is unknown. */
    stock: ofType.find((row) => row.zone === zone) ?? null,
    /** The zones in which its type sells now. */
    soldIn: ofType.filter(({ sells }) => sells === true).map((row) => row.zone),
  };
}

/** 0 if a part holds none, whatever is unknown. Else `null` if a part is unknown, and the least that a part holds otherwise. */
function headroomOf(parts: readonly JudgedPart[]): number | null {
  const least = Math.min(...parts.map(({ roomFor }) => roomFor ?? Infinity));
  const isKnown = least === 0 || parts.every((part) => part.isKnown);
  return isKnown && least < Infinity ? least : null;
}

function unknownPart(part: LaunchPart): JudgedPart {
  const rest = { roomFor: null, reason: null, isByPurchase: false, subnet: null };
  return { part, isKnown: false, severity: 'critical', ...rest };
}

/** A part that is known and sets no bound. */
const freePart = (part: LaunchPart): JudgedPart => ({ ...unknownPart(part), isKnown: true });

/**
 * A part that holds so many instances: it blocks if the launch starts more.
 *
 * @param holds `null` while it is unknown
 */
function boundedPart(
  part: 'version' | 'quota' | 'subnet',
  holds: number | null,
  { count }: Launch,
): JudgedPart {
  // An unreadable count is at least 1: only a part that holds none is known to block.
  if (holds === null || (count === null && holds > 0)) return unknownPart(part);
  const [reason] = reasonsOfPart[part];
  return { ...freePart(part), roomFor: holds, reason: holds < (count ?? 1) ? reason : null };
}

/** RunInstances refuses more instances. */
const maxInstances = 500;

/** The default version of the template. `null` for a launch without a template. */
function versionPart(launch: Launch, isRead: boolean): JudgedPart | null {
  const { count, isVersionKnown, templateId } = launch;
  if (templateId === '') return null;
  if (!isRead || !isVersionKnown || count === null) return unknownPart('version');
  return count > maxInstances ? boundedPart('version', maxInstances, launch) : freePart('version');
}

/** The quota of the charge type in a zone. `null` if no target asks for it. */
function quotaPart(launch: Launch, zone: string | null, facts: RegionFacts): JudgedPart | null {
  const { chargeType } = launch;
  const types = chargeType === null ? chargeTypes : [chargeType];
  if (!types.some((type) => facts.isQuotaAsked(type, zone ?? ''))) return null;
  const quota = facts.quotas.find((each) => each.type === chargeType && each.zone === zone);
  const holds = quota === undefined ? null : heldByQuota(quota, launch, facts);
  const isByPurchase = holds === quota?.onceLimit && (holds ?? 0) < (quota.remaining ?? 0);
  return { ...boundedPart('quota', holds, launch), isByPurchase };
}

/**
 * How many instances a quota holds: a spot quota counts vCPUs, and one purchase of prepaid instances has a maximum. `null`
 * while it is unknown.
 */
function heldByQuota(
  { onceLimit = Infinity, remaining }: Quota,
  { chargeType, instanceType }: Launch,
  { stock }: RegionFacts,
): number | null {
  if (remaining === null) return null;
  if (remaining <= 0) return 0;
  if (chargeType !== 'spotpaid') return onceLimit === null ? null : Math.min(remaining, onceLimit);
  const ofType = stock?.rows.filter((row) => row.instanceType === instanceType) ?? [];
  const [cpu, ...others] = new Set(ofType.flatMap((row) => row.cpu ?? []));
  // A type has the same vCPUs in each zone.
  return cpu === undefined || cpu === 0 || others.length > 0 ? null : Math.floor(remaining / cpu);
}

/** The stock of the instance type in a zone. */
function stockPart(launch: Launch, zone: string | null, { stock }: RegionFacts): JudgedPart {
  const isSame = (offer: Offer) => isSameOffer(launch, offer);
  if (zone === null || !stock?.asked.some(isSame)) return unknownPart('stock');
  const isHere = (row: Offer & { readonly zone: string }) => isSame(row) && row.zone === zone;
  const row = stock.rows.find(isHere);
  const blocked = { ...freePart('stock'), roomFor: 0 };
  if (row !== undefined) {
    if (row.sells === null) return unknownPart('stock');
    if (row.sells) return freePart('stock');
    const severity = launch.chargeType === 'spotpaid' ? 'warning' : 'critical';
    return { ...blocked, reason: 'sold-out', severity };
  }
  const history = stock.histories.find(isHere);
  const pollsIn = (where: string) =>
    stock.lacking.find((offer) => isSame(offer) && offer.zone === where)?.polls;
  const elsewhere = history === undefined ? pollsIn(otherZones) : undefined;
  const polls = [pollsIn(zone) ?? elsewhere, pollsIn('')];
  if (!polls.includes(pollsToAbsent)) return unknownPart('stock');
  const isExpected = launch.isZoneNamed || history?.wasOffered === true;
  return { ...blocked, reason: 'not-offered', severity: isExpected ? 'critical' : 'warning' };
}

/** The addresses of the subnets, of which the one that holds most counts. `null` for a launch that no subnet bounds. */
function subnetPart(launch: Launch, zone: string | null, facts: RegionFacts): JudgedPart | null {
  if (launch.subnets === null) return unknownPart('subnet');
  const subnets = launch.subnets.filter((id) => bounds(id, launch, zone, facts));
  if (subnets.length === 0) return null;
  const held = subnets.flatMap((id) => {
    const holds = heldBySubnet(id, launch, zone, facts);
    return holds === null ? [] : [{ id, holds }];
  });
  const [most] = held.toSorted((a, b) => b.holds - a.holds);
  const part = boundedPart('subnet', most?.holds ?? null, launch);
  if (!part.isKnown) return part;
  // One that is unknown may hold enough.
  const isCertain = part.reason === null || held.length === subnets.length;
  return isCertain ? { ...part, subnet: most?.id ?? null } : unknownPart('subnet');
}

/** Whether a subnet bounds the launch in a zone, also while its own zone is unknown. */
function bounds(
  subnet: string,
  { subnetsBindOwnZonesOnly }: Launch,
  zone: string | null,
  { subnets }: RegionFacts,
): boolean {
  const zoneOfSubnet = subnets.get(subnet)?.zone ?? zone;
  return !subnetsBindOwnZonesOnly || zone === null || zoneOfSubnet === zone;
}

/** How many instances the addresses of a subnet suffice for; `null` while it is unknown. */
function heldBySubnet(
  id: string,
  { ipv6Count }: Launch,
  zone: string | null,
  { quotas, subnets }: RegionFacts,
): number | null {
  const subnet = subnets.get(id);
  if (subnet?.isPresent !== true) return null;
  if (subnet.isGone) return 0;
  if (!subnet.isKnown) return null;
  const free = quotas.find(({ labels }) => labels?.['subnet_id'] === id)?.remaining ?? null;
  const isElsewhere = zone !== null && zone !== '' && zone !== subnet.zone;
  const lacksIpv6 = ipv6Count !== null && ipv6Count > 0 && subnet.hasIpv6 === false;
  if (free === 0 || isElsewhere || lacksIpv6) return 0;
  const isCertain = zone !== null && (ipv6Count === 0 || subnet.hasIpv6 === true);
  return isCertain ? free : null;
}
