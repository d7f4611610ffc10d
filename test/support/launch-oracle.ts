/**
 * An own judge of launches, written from docs/launches.md ("How a launch is judged") and from nothing of `src/`. It says
 * what metrics, JSON, page and `check` have to say of the launches of a region. `undefined` is unknown.
 */
import {
  isCount,
  isText,
  type Launch,
  LaunchAnswers,
  read,
  type RegionConfig,
} from './launch-answers.ts';

/** How many instances something holds. Infinity: it sets no bound. */
type Bound = number | undefined;

interface Part {
  part: string;
  holds: Bound;
  /** What it is called if it blocks, and whether this is a warning only. */
  reason: string;
  isWarning?: boolean;
}

/** The least of some bounds. 0 is 0, whatever the unknown ones are. */
function least(...bounds: Bound[]): Bound {
  const known = Math.min(...bounds.map((bound) => bound ?? Infinity));
  return known > 0 && bounds.includes(undefined) ? undefined : known;
}

export class LaunchOracle {
  readonly answers: LaunchAnswers;
  readonly #config: RegionConfig;

  constructor(config: RegionConfig) {
    this.#config = config;
    this.answers = new LaunchAnswers(config);
  }

  /** All launches that are judged. */
  verdicts() {
    return this.answers.launches().map((launch) => {
      const [best] = this.#candidates(launch)
        .map((zone) => this.#judge(launch, zone))
        .toSorted((a, b) => a.rank - b.rank || (b.headroom ?? 0) - (a.headroom ?? 0));
      const isMuted = this.isMuted(launch.template, launch.charge, launch.subnets);
      return { ...launch, ...best!, state: isMuted ? 'muted' : best!.state };
    });
  }

  /** By the first override that applies. One for quota types applies to quotas only. */
  isMuted(template: string, charge?: string, subnets: string[] = []): boolean {
    const applies = (list: string[] | undefined, ...names: (string | undefined)[]) =>
      list === undefined || (names.length > 0 && names.every((name) => list.includes(name ?? '')));
    const first = this.#config.overrides.find(
      (each) =>
        each.quota_types === undefined &&
        applies(each.launch_templates, template) &&
        applies(each.charge_types, charge) &&
        applies(each.subnets, ...subnets),
    );
    return first?.muted === true;
  }

  /** The zones in which it may start, by name. The last may be `undefined`: a further zone. */
  #candidates({ type, charge, zone }: Launch): (string | undefined)[] {
    if (zone !== '') return [zone];
    const sold = this.answers.isStockUp ? this.answers.zonesOf(type, charge) : [];
    const zones = sold.length > 0 ? sold : this.answers.zonesWithQuota(charge);
    const isUnknown = type === undefined || charge === undefined;
    if (isUnknown || this.answers.mayHaveFurtherZones()) return [...zones, undefined];
    return zones.length > 0 ? zones : [''];
  }

  #judge(launch: Launch, zone: string | undefined) {
    const { count = 1 } = launch;
    const stock = this.#stock(launch, zone);
    const parts = [
      this.#version(launch),
      this.#quota(launch, zone),
      stock,
      // Templates of these worlds name neither disks nor placement groups, but an unreadable version may.
      this.#mayBeNamed(launch, 'disk'),
      this.#subnet(launch, zone),
      this.#mayBeNamed(launch, 'placement group'),
    ].filter((part) => part !== null);
    const blocking = parts.filter(({ holds }) => holds !== undefined && holds < count);
    const room = Math.max(0, least(...parts.map(({ holds }) => holds)) ?? 0);
    const isUnknown = parts.some(({ holds }) => holds === undefined);
    const isKnown = !isUnknown || parts.some(({ holds }) => holds !== undefined && holds <= 0);
    const rest = blocking.length > 0 || stock.isLow ? 'at risk' : 'fine';
    const isCritical = blocking.some(({ isWarning }) => isWarning !== true);
    const state = isCritical ? 'blocked' : isUnknown ? 'unknown' : rest;
    const rank = blocking.length > 0 ? 3 : zone === undefined ? 2 : isUnknown ? 1 : 0;
    const headroom = isKnown && room < Infinity ? room : null;
    return { state, headroom, parts, blocking, rank };
  }

  #mayBeNamed({ isUnreadable = false }: Launch, part: string): Part | null {
    return isUnreadable ? { part, holds: undefined, reason: part } : null;
  }

  #version({ template, isVersionKnown, count }: Launch): Part | null {
    if (template === '') return null;
    const bound = count === undefined || !isVersionKnown ? undefined : Infinity;
    return { part: 'version', holds: bound && count! > 500 ? 500 : bound, reason: 'refused' };
  }

  #quota({ count, type, charge }: Launch, zone: string | undefined): Part | null {
    if (!this.answers.isQuotaAsked(charge, zone)) return null;
    const row = this.answers.quota(charge, zone);
    const remaining = Number(row?.RemainingQuota);
    const isPrepaid = charge === 'prepaid';
    const once: Bound = isPrepaid ? read(row, 'OnceQuota', isCount, Infinity) : Infinity;
    const cpu = charge === 'spotpaid' ? this.answers.cpuOf(type) : 1;
    const left = remaining > 0 ? cpu && Math.floor(remaining / cpu) : 0;
    const holds = row && least(left, once, count && Infinity);
    return { part: 'quota', holds, reason: 'quota' };
  }

  #stock({ type, charge, isZoneNamed }: Launch, zone: string | undefined) {
    const wasOffered = this.answers.wasOffered(type, charge, zone);
    const rows = this.answers.offer(type, charge, zone);
    const isNeverOffered = !isZoneNamed && !wasOffered;
    if (rows?.length === 0) {
      return { part: 'stock', holds: 0, reason: 'not-offered', isWarning: isNeverOffered };
    }
    const all = rows?.map((row) => row.holds) ?? [undefined];
    // Of several rows, the one that sells most surely counts, and of these the one with most stock.
    const holds = all.includes(Infinity) ? Infinity : all.includes(undefined) ? undefined : 0;
    const levels = rows?.flatMap((row) => (row.holds === Infinity ? [row.level] : [])) ?? [];
    const isMore = levels.includes('NormalStock') || levels.includes('EnoughStock');
    const isLow = levels.includes('UnderStock') && !isMore;
    return { part: 'stock', holds, reason: 'sold-out', isWarning: charge === 'spotpaid', isLow };
  }

  #subnet(launch: Launch, zone: string | undefined): Part | null {
    const { count, subnets, ipv6 } = launch;
    if (subnets === undefined) return { part: 'subnet', holds: undefined, reason: 'subnet' };
    const isElsewhere = (id: string) =>
      zone !== undefined && (this.answers.zoneOfSubnet.get(id) ?? zone) !== zone;
    const own = subnets.filter((id) => launch.isZoneNamed || !isElsewhere(id));
    if (own.length === 0) return null;
    const all = own.map((id) => least(this.#addresses(id, zone, ipv6), count && Infinity));
    const most = Math.max(...all.map((each) => each ?? 0));
    const isKnown = !all.includes(undefined) || most >= (count ?? Infinity);
    return { part: 'subnet', holds: isKnown ? most : undefined, reason: 'subnet' };
  }

  /** How many instances find their addresses in a subnet. */
  #addresses(id: string, zone: string | undefined, ipv6: number | undefined): Bound {
    if (this.answers.isSubnetGone(id)) return 0;
    const row = this.answers.subnet(id);
    if (row === undefined) return undefined;
    const ofZone = zone === undefined ? undefined : row.Zone === zone ? Infinity : 0;
    const block: string | undefined = read(row, 'Ipv6CidrBlock', isText);
    const ofReadBlock = block === '' ? ipv6 && 0 : Infinity;
    const ofBlock = block === undefined ? undefined : ofReadBlock;
    return least(ofZone, ipv6 === 0 ? Infinity : ofBlock, Number(row.AvailableIpAddressCount));
  }
}
