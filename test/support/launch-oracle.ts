/**
 * An own judge of launches, written from docs/launches.md ("How a launch is judged") and from nothing of `src/`. It says
 * what metrics, JSON, page and `check` have to say of the launches of a region. `undefined` is unknown.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  diskNames,
  type Group,
  isCount,
  isText,
  type Json,
  type Launch,
  LaunchAnswers,
  type Needs,
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
  /** Whether nearly nothing is left. */
  isLow?: boolean;
  isDenied?: boolean;
}

/** A part as it is said. */
export interface SaidPart extends Omit<Part, 'reason'> {
  /** Absent if it does not block. */
  reason?: string;
}

/** What is said of a launch. */
export interface Verdict {
  state: string;
  headroom: number | null;
  parts: SaidPart[];
  /** Of a group: how many it cannot start up to its maximum, and whether it can start what it needs. */
  missing?: number | null;
  isShort?: boolean;
}

/** The operations without which a part is not asked. */
const operations: Record<string, string> = {
  quota: 'DescribeAccountQuota',
  stock: 'DescribeZoneInstanceConfigInfos',
  disk: 'DescribeDiskConfigQuota',
  subnet: 'DescribeSubnets',
  'placement group': 'DescribeDisasterRecoverGroups',
};

const priceOperation = 'InquiryPriceRunInstances';

/** With these, a group or its configuration holds nothing. */
const badStatuses = [
  ...['CVM', 'VPC', 'SUBNET', 'IMAGE', 'CBS_SNAP', 'SECURITY_GROUP'].map((of) => `${of}_ABNORMAL`),
  'INSUFFICIENT_BALANCE',
];

/** The codes of the page, which may end in `*`, with their reasons. */
const page = readFileSync(join(import.meta.dirname, '../../docs/launches.md'), 'utf8');
const [, table = ''] = page.split('<!-- generated: codes of refusals -->');
const listedCodes = [...table.matchAll(/^\| (`.*`) +\| `(.*)` +\|$/gm)].flatMap(
  ([, codes = '', reason = '']) =>
    [...codes.matchAll(/`([^`]+)`/g)].map(([, code = '']) => ({ code, reason })),
);

function reasonOf(code: string): string | undefined {
  const isListed = (listed: string) =>
    listed.endsWith('*') ? code.startsWith(listed.slice(0, -1)) : code === listed;
  return listedCodes.find(({ code: listed }) => isListed(listed))?.reason;
}

/** The least of some bounds. 0 is 0, whatever the unknown ones are. */
function least(...bounds: Bound[]): Bound {
  const known = Math.min(...bounds.map((bound) => bound ?? Infinity));
  return known > 0 && bounds.includes(undefined) ? undefined : known;
}

const sum = (bounds: Bound[]): Bound =>
  bounds.includes(undefined) ? undefined : bounds.reduce<number>((all, each) => all + each!, 0);

const finite = (holds: number) => (holds === Infinity ? null : holds);

/** More instances than a group of these worlds can start. */
const unbounded = 20_000;

export class LaunchOracle {
  readonly answers: LaunchAnswers;
  readonly #config: RegionConfig;
  /** Whether the price of a template is asked for. */
  readonly isPriced: (template: string) => boolean;

  constructor(config: RegionConfig, isPriced = (_template: string) => true) {
    this.#config = config;
    this.isPriced = isPriced;
    this.answers = new LaunchAnswers(config);
  }

  /** Whether an operation is not asked that only launches need, for lack of a permission. */
  isDenied = (operation: string) =>
    operation !== operations.quota &&
    [...Object.values(operations), priceOperation].includes(operation) &&
    this.answers.isDenied(operation);

  /** All launches that are judged. */
  verdicts() {
    return this.answers.launches().map((launch) => {
      const [best] = this.#candidates(launch)
        .map((zone) => this.#judge(launch, zone))
        .toSorted((a, b) => a.rank - b.rank || (b.headroom ?? 0) - (a.headroom ?? 0));
      return { ...launch, ...best!, ...(this.isMuted(launch) && { state: 'muted' }) };
    });
  }

  /** The scaling groups that are judged. */
  groupVerdicts() {
    const judged = this.answers.groups().filter(({ unjudged }) => unjudged === undefined);
    return judged.map((group) => {
      const verdict = this.#judgeGroup(group);
      const isMuted = this.isMuted({ ...group, charge: verdict.charge });
      return { ...group, ...verdict, ...(isMuted && { state: 'muted' }) };
    });
  }

  /** By the first override that applies. One for quota types applies to quotas only. */
  isMuted(launch: Json): boolean {
    const filters: Record<string, (string | undefined)[]> = {
      launch_templates: [launch.template],
      scaling_groups: [launch.id],
      charge_types: [launch.charge],
      subnets: launch.subnets ?? [],
      placement_groups: launch.placementGroups ?? [],
    };
    const first = this.#config.overrides.find(
      (each) =>
        each.quota_types === undefined &&
        Object.entries(filters).every(([filter, names]) => {
          const list: typeof names | undefined = each[filter];
          return !list || (names.length > 0 && names.every((name) => list.includes(name)));
        }),
    );
    return first?.muted === true;
  }

  /** The zones in which it may start, by name. The last may be `undefined`: a further zone. */
  #candidates({ type, charge, zone }: Launch): (string | undefined)[] {
    if (zone !== '') return [zone];
    const { isUp, isWhole } = this.answers.stock;
    const sold = isUp ? this.answers.zonesOf(type, charge) : [];
    const zones = sold.length > 0 ? sold : this.answers.zonesWithQuota(charge);
    if (type === undefined || charge === undefined || !isWhole) return [...zones, undefined];
    return zones.length > 0 ? zones : [''];
  }

  #judge(launch: Launch, zone: string | undefined): Verdict & { rank: number } {
    const { count = 1 } = launch;
    const parts = this.#asked([
      this.#version(launch, zone),
      this.#quota(launch, zone),
      this.#stock(launch, zone, launch.isZoneNamed),
      this.#disk(launch, zone),
      this.#subnet(launch, zone),
      this.#placementGroup(launch),
    ]);
    const isBlocking = ({ holds }: Part) => holds !== undefined && holds < count;
    const isUnknown = parts.some(({ holds }) => holds === undefined);
    const room = least(...parts.map(({ holds }) => holds));
    const said = parts.map(({ reason, ...part }) => ({
      ...part,
      ...(isBlocking({ ...part, reason }) && { reason }),
    }));
    const isBlocked = parts.some(isBlocking);
    const rank = isBlocked ? 3 : zone === undefined ? 2 : Number(isUnknown);
    return {
      state: stateOf(said),
      headroom: room === undefined ? null : finite(Math.max(0, room)),
      parts: said,
      rank,
    };
  }

  /** Those that apply. One that is not permitted sets no bound. */
  #asked(parts: (Part | null)[]): Part[] {
    return parts.flatMap((part) => {
      if (part === null) return [];
      const isDenied = this.answers.isDenied(operations[part.part] ?? '');
      return isDenied ? { ...part, isDenied, isLow: false, holds: Infinity } : part;
    });
  }

  #version(launch: Launch, zone: string | undefined): Part | null {
    const { count, isVersionKnown, template } = launch;
    if (template === '') return null;
    const part = { part: 'version', reason: 'refused', holds: undefined };
    if (!isVersionKnown) return part;
    const isAsked = this.#pricedZones(launch).includes(zone);
    const isPriced = this.isPriced(template);
    const code = isPriced && isAsked && zone ? this.answers.refusal(launch, zone) : null;
    const isYetToAsk = isPriced && !isAsked && zone && !this.answers.stock.isUp;
    const isDenied = this.answers.isDenied(priceOperation);
    const reason = code === null || isDenied ? undefined : reasonOf(code);
    if (reason !== undefined) {
      const isOfStock = this.#isStockWarning(reason, launch, zone, launch.isZoneNamed);
      return { part: 'version', reason, holds: 0, isWarning: isOfStock };
    }
    if (count !== undefined && count > 500) return { ...part, holds: 500 };
    const isKnown = count !== undefined && (isDenied || (code === null && !isYetToAsk));
    return { ...part, holds: isKnown ? Infinity : undefined };
  }

  /** Of the last answers: what fails does not change where the price is asked for. */
  #pricedZones({ charge, type, zone }: Launch): (string | undefined)[] {
    if (zone !== '') return [zone];
    const sold = this.answers.zonesOf(type, charge);
    if (sold.length > 0 || this.answers.stock.isRead) return sold;
    return this.answers.zonesWithQuota(charge);
  }

  #isStockWarning(
    reason: string,
    { charge, type }: Needs,
    zone: string | undefined,
    isNamed: boolean,
  ) {
    const wasOffered = this.answers.stock.isUp && this.answers.wasOffered(type, charge, zone);
    if (reason === 'not-offered') return !isNamed && !wasOffered;
    return reason === 'sold-out' && charge === 'spotpaid';
  }

  #quota(
    { charge, count, type }: Pick<Launch, 'charge' | 'count' | 'type'>,
    zone: string | undefined,
  ): (Part & { once?: Bound }) | null {
    if (!this.answers.isQuotaAsked(charge, zone)) return null;
    const row = this.answers.quota(charge, zone);
    const remaining = Number(row?.RemainingQuota);
    const isPrepaid = charge === 'prepaid';
    const once: Bound = isPrepaid ? read(row, 'OnceQuota', isCount, Infinity) : Infinity;
    const cpu = charge === 'spotpaid' ? this.answers.cpuOf(type) : 1;
    const left = remaining > 0 ? cpu && Math.floor(remaining / cpu) : 0;
    const holds = row && least(left, once, count && Infinity);
    return { part: 'quota', holds, reason: 'quota', once: row && once };
  }

  #stock(needs: Needs, zone: string | undefined, isZoneNamed: boolean): Part {
    const rows = this.answers.offer(needs, zone);
    const reason = rows?.length === 0 ? 'not-offered' : 'sold-out';
    const isWarning = this.#isStockWarning(reason, needs, zone, isZoneNamed);
    const levels = rows?.flatMap((row) => (row.holds === Infinity ? [row.level] : [])) ?? [];
    const isMore = levels.includes('NormalStock') || levels.includes('EnoughStock');
    const isLow = levels.includes('UnderStock') && !isMore;
    return { part: 'stock', holds: surest(rows), reason, isWarning, isLow };
  }

  /** A type that no zone sells lacks no disk. */
  #disk(needs: Needs, zone: string | undefined): Part | null {
    const names = diskNames(needs);
    if (names?.length === 0 || zone === '') return null;
    const part = { part: 'disk', reason: 'disk' };
    if (names === undefined || zone === undefined) return { ...part, holds: undefined };
    const { disks } = this.answers;
    return { ...part, holds: least(...names.map((name) => surest(disks.known(name, zone)))) };
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
    if (this.answers.subnets.isGone(id)) return 0;
    const row = this.answers.subnet(id);
    if (row === undefined) return undefined;
    const ofZone = zone === undefined ? undefined : row.Zone === zone ? Infinity : 0;
    const block: string | undefined = read(row, 'Ipv6CidrBlock', isText);
    const ofReadBlock = block === '' ? ipv6 && 0 : Infinity;
    const ofBlock = block === undefined ? undefined : ofReadBlock;
    return least(ofZone, ipv6 === 0 ? Infinity : ofBlock, Number(row.AvailableIpAddressCount));
  }

  /** Each group has to take the instances. */
  #placementGroup({ count, placementGroups: ids }: Pick<Launch, 'count' | 'placementGroups'>) {
    if (ids?.length === 0) return null;
    const { placementGroups: groups } = this.answers;
    const room = (id: string): Bound => {
      if (groups.isGone(id)) return 0;
      const row = groups.row(id);
      const left = read(row, 'CvmQuotaTotal', isCount) - read(row, 'CurrentNum', isCount);
      return Number.isNaN(left) ? undefined : Math.max(0, left);
    };
    const part = { part: 'placement group', reason: 'placement-group' };
    if (ids === undefined) return { ...part, holds: undefined };
    const known = Math.min(...ids.map((id) => room(id) ?? Infinity));
    // One that takes too few is enough to know.
    const isShort = known < (count ?? 1);
    return { ...part, holds: isShort ? known : least(...ids.map(room), count && Infinity) };
  }

  #status({ instances, isEnabled, max, statuses }: Group): Part {
    const isRead = [instances, isEnabled, max].every((each) => each !== undefined);
    const isStop = (status: string | undefined) => badStatuses.includes(status ?? '');
    const isHarmless = (status?: string) => status === 'NORMAL' || status?.startsWith('LB_');
    const isKnown = isRead && statuses.length > 0 && statuses.every(isHarmless);
    const holds = statuses.some(isStop) ? 0 : isKnown ? Infinity : undefined;
    const isWarning = holds === Infinity && statuses.some((status) => status !== 'NORMAL');
    return { part: 'group', reason: 'group', holds, isWarning };
  }

  #judgeGroup(group: Group): Verdict & { charge: string | undefined; count: number | undefined } {
    const { desired, instances, max, placementGroups } = group;
    const isLackKnown = desired !== undefined && instances !== undefined;
    const count = isLackKnown ? Math.max(1, desired - instances) : undefined;
    const whole = this.#asked([
      this.#placementGroup({ count, placementGroups }),
      this.#status(group),
    ]);
    const sides = sharesOf(group).map(({ charge, shareOf }) => {
      const side = this.#side(group, charge, count && shareOf(count));
      return { ...side, fits: (n: number) => !side.isKnown || shareOf(n) <= side.held };
    });
    const worst =
      sides.find(({ isBlocked }) => isBlocked) ?? sides.find(({ isEnough }) => !isEnough);
    const cap = Math.min(...whole.map(({ holds }) => holds ?? Infinity));
    let most = 0;
    const fits = (n: number) => n <= cap && sides.every((side) => side.fits(n));
    while (most < unbounded && fits(most + 1)) most += 1;
    if (most === unbounded) most = Infinity;
    const isKnown =
      most === 0 ||
      (sides.every((side) => side.isKnown) && whole.every(({ holds }) => holds !== undefined));
    const { charge, isLow, parts } = worst ?? sides[0]!;
    const said = [
      ...parts,
      ...whole.map(({ reason, ...part }): SaidPart => {
        const isBlocking = part.holds !== undefined && part.holds < (count ?? 1);
        return isBlocking || part.isWarning ? { ...part, reason } : part;
      }),
    ];
    const lacking = max === undefined || instances === undefined ? null : max - instances;
    const missing = !isKnown || lacking === null ? null : Math.max(0, lacking - most);
    const isShort = (missing ?? 0) > 0 && !said.some(stops);
    return {
      ...{ charge, count, headroom: isKnown ? finite(most) : null, parts: said, missing, isShort },
      state: stateOf([
        ...said,
        ...(isLow || isShort ? [{ part: '', holds: Infinity, isLow: true }] : []),
      ]),
    };
  }

  /** What a group finds for one charge type in its zones. @param need `undefined`: unknown, but at least one */
  #side(group: Group, charge: string | undefined, need: number | undefined) {
    const zones = this.#placesOf(group).map(({ subnets, zone }) =>
      this.#zone({ ...group, charge, subnets }, zone),
    );
    const onces = zones.flatMap(({ once }) => once ?? []);
    const once = onces.length === 0 ? Infinity : Math.max(...onces);
    const held = Math.min(once, sum(zones.map(({ holds }) => holds ?? 0))!);
    const isKnown = zones.every(({ holds }) => holds !== undefined);
    const isBlocked = isKnown && held < (need ?? 1);
    const isEnough = need !== undefined && held >= need;
    const parts = ['quota', 'stock', 'disk', 'subnet'].flatMap((name): SaidPart[] => {
      const all = zones.flatMap(({ holds, parts }) =>
        parts.filter(({ part }) => part === name).map((part) => ({ ...part, ofZone: holds })),
      );
      if (all.length === 0) return [];
      const [{ isDenied, reason } = all[0]!] = all;
      const sumOf = all.reduce((room, { holds = Infinity }) => room + holds, 0);
      const rooms = name === 'quota' ? Math.min(once, sumOf) : sumOf;
      const isOpen = all.some(({ holds, ofZone }) => holds === undefined && ofZone === undefined);
      const isNeedKnown = need !== undefined || isBlocked || rooms === Infinity;
      const isUnknown = !isEnough && (isOpen || !isNeedKnown);
      // What the known zones hold is no bound.
      const said = all.every(({ holds }) => holds !== undefined) ? rooms : Infinity;
      const stopping = all.find(({ stops }) => stops);
      const isStopping = isBlocked && (stopping !== undefined || rooms < (need ?? 1));
      return [
        {
          ...{ part: name, holds: isUnknown ? undefined : said, ...(isDenied && { isDenied }) },
          ...(isStopping && { reason: stopping?.reason ?? reason }),
          ...(stopping?.isWarning && { isWarning: true }),
        },
      ];
    });
    // The best zone counts.
    const [best] = zones.toSorted((a, b) => a.rank - b.rank);
    return { charge, held, isKnown, isBlocked, isEnough, parts, isLow: best?.isLow === true };
  }

  #placesOf({
    subnets,
    zones,
  }: Group): { zone: string | undefined; subnets: string[] | undefined }[] {
    if (subnets === undefined || (subnets.length === 0 && !zones?.length))
      return [{ zone: undefined, subnets }];
    if (subnets.length === 0) return zones!.map((zone) => ({ zone, subnets }));
    const zoneOf = (id: string) => this.answers.zoneOfSubnet.get(id);
    return [...new Set(subnets.map(zoneOf))].map((zone) => {
      return { zone, subnets: subnets.filter((id) => zoneOf(id) === zone) };
    });
  }

  /** A zone counts while one of its types has stock and its disks there. */
  #zone({ charge, disks, subnets, types }: Group, zone: string | undefined) {
    const all = types
      .map((type) => {
        const needs = { type, charge, disks };
        const gates = this.#asked([this.#stock(needs, zone, true), this.#disk(needs, zone)]);
        const open = least(...gates.map(({ holds }) => holds));
        const isLow = gates.some((gate) => gate.isLow);
        return { type, gates, open, isLow, rank: open === 0 ? 2 : Number(open === undefined) };
      })
      .toSorted((a, b) => a.rank - b.rank || Number(a.isLow) - Number(b.isLow));
    const { gates, isLow, open, rank } = all[0]!;
    const sold = all.filter((each) => each.rank === rank);
    const quotas = sold.flatMap(({ type }) => this.#quota({ charge, count: 1, type }, zone) ?? []);
    // The largest vCPUs are unknown while those of one type are.
    const isRead = quotas.every(({ holds }) => holds !== undefined);
    const rooms = quotas.map(({ holds }) => (isRead ? holds : undefined));
    const quota = quotas[0] && { ...quotas[0], holds: least(...rooms) };
    const addresses = subnets && sum(subnets.map((id) => this.#addresses(id, zone, 0)));
    const subnet = { part: 'subnet', reason: 'subnet', holds: addresses };
    const bounds = this.#asked([quota ?? null, subnets?.length === 0 ? null : subnet]);
    const holds = least(open, ...bounds.map((bound) => bound.holds));
    const parts = [
      ...gates.map((gate) => ({ ...gate, stops: open === 0 && gate.holds === 0 })),
      ...bounds.map((bound) => ({ ...bound, stops: open !== 0 && bound.holds === holds })),
    ];
    const isStockUnknown = gates.some(({ holds, part }) => part === 'stock' && holds === undefined);
    const unlike = 4 * Number(holds === 0) + 2 * Number(isStockUnknown);
    return {
      holds,
      parts,
      isLow,
      once: quota?.holds === undefined ? undefined : quota.once,
      rank: unlike + Number(isLow),
    };
  }
}

/** Of several rows, the one that sells most surely counts. */
function surest(rows: { holds: Bound }[] | undefined): Bound {
  const all = rows?.map(({ holds }) => holds);
  if (all?.length === 0) return 0;
  return all?.includes(Infinity) ? Infinity : all?.includes(undefined) === false ? 0 : undefined;
}

/** The charge types that have to hold a share of so many instances more. */
function sharesOf({ charge, instances = NaN, mixed }: Group) {
  const all = (n: number) => n;
  if (!mixed) return [{ charge: mixed === null ? charge : undefined, shareOf: all }];
  const { base, isCompensated, percentage } = mixed;
  if (isCompensated === true) return [{ charge: 'postpaid', shareOf: all }];
  const onDemandOf = (members: number) =>
    Math.min(members, Number(base)) + Math.ceil((Math.max(0, members - base) * percentage) / 100);
  const onDemand = (n: number) => onDemandOf(instances + n) - onDemandOf(instances);
  if (isCompensated === undefined || Number.isNaN(onDemand(1)))
    return [{ charge: undefined, shareOf: all }];
  return [
    { charge: 'postpaid', shareOf: onDemand },
    { charge: 'spotpaid', shareOf: (n: number) => n - onDemand(n) },
  ];
}

/** Of a version, the reason of another part that blocks, too, says it better. */
export function severities(parts: SaidPart[]): SaidPart[] {
  return parts.filter(
    ({ part, reason }) =>
      reason !== undefined &&
      !(part === 'version' && parts.some((each) => each.part !== part && each.reason === reason)),
  );
}

/** Whether it blocks. A warning of a load balancer stops no launch. */
export const stops = ({ holds, part, reason }: SaidPart) =>
  reason !== undefined && !(part === 'group' && holds === Infinity);

function stateOf(parts: SaidPart[]): string {
  const reasons = severities(parts);
  if (reasons.some(({ isWarning }) => !isWarning)) return 'blocked';
  if (parts.some(({ holds }) => holds === undefined)) return 'unknown';
  return reasons.length > 0 || parts.some(({ isLow }) => isLow) ? 'at risk' : 'fine';
}
