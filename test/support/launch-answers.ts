/**
 * What the answers of the service say of launches, read for an own judge, from docs/launches.md and from nothing of
 * `src/`. `undefined` is unknown everywhere: not read, or not readable.
 */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

/** The answer that the service gives now. `null`: the request fails. */
export type Ask = (operation: string, parameters?: object) => Json;

export interface Override {
  launch_templates?: string[];
  subnets?: string[];
  charge_types?: ('postpaid' | 'prepaid' | 'spotpaid')[];
  quota_types?: string[];
  warning?: number;
  critical?: number;
  muted?: boolean;
}

export interface RegionConfig {
  name: string;
  zones?: string[];
  launch_templates: string[] | 'all';
  instance_types: { type: string; zones?: string[]; charge_types?: string[]; subnets?: string[] }[];
  /** Of its account. */
  quota_types: string[];
  overrides: Override[];
}

/** What would be started. */
export interface Launch {
  template: string;
  version: number | null;
  isVersionKnown: boolean;
  /** Whether nothing of its data can be read. */
  isUnreadable?: boolean;
  type: string | undefined;
  charge: string | undefined;
  /** Empty if nothing names one. */
  zone: string | undefined;
  /** What the version or the configuration says of it. */
  ownZone: string | undefined;
  /** Whether the version, its subnet or the entry names the zone, and not only earlier answers or the region. */
  isZoneNamed: boolean;
  subnets: string[] | undefined;
  count: number | undefined;
  ipv6: number | undefined;
}

const chargeNames: Record<string, string> = {
  POSTPAID_BY_HOUR: 'postpaid',
  PREPAID: 'prepaid',
  SPOTPAID: 'spotpaid',
  CDHPAID: '',
  CDCPAID: '',
};
const quotaSets: Record<string, string> = {
  postpaid: 'PostPaidQuotaSet',
  prepaid: 'PrePaidQuotaSet',
  spotpaid: 'SpotPaidQuotaSet',
};

type Test = (value: Json) => boolean;
export const isText: Test = (value) => typeof value === 'string' && /^\P{C}*$/u.test(value);
export const isCount: Test = (value) => Number.isSafeInteger(value) && value >= 0;
const isChargeName: Test = (value) => value in chargeNames;
const isObject: Test = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path. Absent and null are `absent`; `undefined`: a value that fails the test, so it is unreadable. */
export function read(row: Json, path: string, isRight: Test, absent?: Json): Json {
  const [name = '', ...rest] = path.split('.');
  const value = row?.[name] ?? null;
  if (value === null) return absent;
  if (rest.length > 0)
    return isObject(value) ? read(value, rest.join('.'), isRight, absent) : undefined;
  return isRight(value) ? value : undefined;
}

const unique = <T>(values: readonly T[]) => [...new Set(values)];

/** The row that all are. `undefined` if there is none, or one has other contents. */
const only = (rows: Json[] = []) =>
  unique(rows.map((row) => JSON.stringify(row))).length === 1 ? rows[0] : undefined;

type Found = Map<string | undefined, Json[]> | null;

/** The rows of an answer by their key. Those whose key cannot be read have `undefined`. `null` without an answer. */
function rowsByKey(rows: Json, keyOf: (row: Json) => string | undefined): Found {
  if (!Array.isArray(rows)) return null;
  const keys = unique(rows.map(keyOf));
  return new Map(keys.map((key) => [key, rows.filter((row) => keyOf(row) === key)]));
}

/** In how many complete answers in a row a name was lacking. */
class Lacking {
  readonly #times = new Map<string, number>();

  /** Names that are not needed now begin anew when they are. */
  note(
    needed: string[],
    isThere: (name: string) => boolean,
    isSaid: (name: string) => boolean,
  ): void {
    for (const name of this.#times.keys()) if (!needed.includes(name)) this.#times.delete(name);
    for (const name of unique(needed)) {
      if (isThere(name)) this.#times.delete(name);
      else if (isSaid(name)) this.#times.set(name, (this.#times.get(name) ?? 0) + 1);
    }
  }

  isGone = (name: string) => (this.#times.get(name) ?? 0) > 1;
}

/** The parameters of a filter. */
function filterOf(index: number, name: string, values: string[]): object {
  const pairs = values.map((value, i) => [`Filters.${index}.Values.${i}`, value]);
  return { [`Filters.${index}.Name`]: name, ...Object.fromEntries(pairs) };
}

type Entry = RegionConfig['instance_types'][number];
const chargesOf = ({ charge_types: charges = ['postpaid', 'spotpaid'] }: Entry) => charges;

/** A row of stock. One of a charge type that cannot be read may be of each one. */
interface Offer {
  type: string;
  charge: string | undefined;
  zone: string;
  /** 0: sold out. Infinity: it sells. */
  holds: number | undefined;
  level: Json;
  cpu: number | undefined;
}

/** The last answers about a region, and what the earlier ones say of it. */
export class LaunchAnswers {
  readonly #config: RegionConfig;
  readonly #templates = new Map<string, { rows: Json[]; isUp: boolean }>();
  #listed: Found = null;
  #quotas: Json;
  /** The last answer about stock, and whether it is of this cycle. */
  #stock: Offer[] = [];
  isStockUp = false;
  #isStockComplete = false;
  /** The complete answers about stock, the last one first, with the launches that needed them. */
  #complete: { stock: Offer[]; needs: Launch[] }[] = [];
  /** The types, charge types and zones that were sold, or sold out, in an answer. */
  readonly #offered = new Set<string>();
  #subnets: Found = null;
  /** The last known zones. */
  readonly zoneOfSubnet = new Map<string, string>();
  readonly #lackingTemplates = new Lacking();
  readonly #lackingSubnets = new Lacking();
  #refusedSubnets: string[] = [];

  constructor(config: RegionConfig) {
    this.#config = config;
  }

  /** Reads the answers of one cycle. */
  poll(ask: Ask): void {
    for (const id of this.#templateIds(ask)) {
      const parameters = { LaunchTemplateId: id, Limit: 100 };
      const rows = ask('DescribeLaunchTemplateVersions', parameters)?.LaunchTemplateVersionSet;
      // A template has a version, so an empty list is no answer.
      const isUp = Array.isArray(rows) && rows.length > 0;
      this.#templates.set(id, { rows: isUp ? rows : (this.#templates.get(id)?.rows ?? []), isUp });
    }
    const quotas = ask('DescribeAccountQuota')?.AccountQuotaOverview?.AccountQuota;
    const ofTypes = this.#config.quota_types.map((type) => quotas?.[quotaSets[type] ?? '']);
    this.#quotas = ofTypes.some((set) => this.#isOfAnother(set)) ? null : quotas;
    this.#pollSubnets(ask);
    this.#pollStock(ask);
  }

  #templateIds(ask: Ask): string[] {
    const { launch_templates: configured } = this.#config;
    if (configured !== 'all') return configured;
    const { LaunchTemplateSet } = ask('DescribeLaunchTemplates', { Limit: 100 }) ?? {};
    const list = rowsByKey(LaunchTemplateSet, (row) => read(row, 'LaunchTemplateId', isText));
    this.#listed = list ?? this.#listed;
    const known = [...this.#templates.keys()];
    this.#lackingTemplates.note(
      known,
      (id) => list?.has(id) === true,
      () => list !== null,
    );
    // A list that has others only replaces all (docs/configuration.md).
    const isReplaced = list !== null && list.size > 0 && !known.some((id) => list.has(id));
    for (const id of known) {
      if (isReplaced || this.#lackingTemplates.isGone(id)) this.#templates.delete(id);
    }
    return unique([...this.#templates.keys(), ...(list?.keys() ?? [])]).flatMap((id) => id ?? []);
  }

  #pollSubnets(ask: Ask): void {
    const all = [...this.#templateLaunches(), ...this.#config.instance_types];
    const ids = unique(all.flatMap(({ subnets }) => subnets ?? []));
    const filter = { ...filterOf(0, 'subnet-id', ids), Limit: '100' };
    const { SubnetSet } = (ids.length === 0 ? null : ask('DescribeSubnets', filter)) ?? {};
    const idOf = (row: Json) => read(row, 'SubnetId', isText);
    this.#subnets = this.#isOfAnother(SubnetSet) ? null : rowsByKey(SubnetSet, idOf);
    // A subnet that the service refuses is lacking, whatever it says of others.
    const isRefused = (id: string) => ask('DescribeSubnets', { 'SubnetIds.0': id }) === null;
    this.#refusedSubnets = this.#subnets === null ? [] : ids.filter(isRefused);
    const isSaid = (id: string) => this.#saysWhether(id);
    this.#lackingSubnets.note(ids, (id) => this.#subnets?.has(id) === true, isSaid);
    for (const id of ids) {
      const zone = this.zoneOf(this.subnet(id));
      if (zone !== undefined) this.zoneOfSubnet.set(id, zone);
    }
  }

  #pollStock(ask: Ask): void {
    const entries = this.#config.instance_types.flatMap((entry) =>
      chargesOf(entry).map((charge) => {
        const { type, zones = this.#config.zones } = entry;
        return { type, charge, zones };
      }),
    );
    const ofTemplates = this.#templateLaunches().map(({ type, charge, zone }) => {
      return { type, charge, zones: zone ? [zone] : undefined };
    });
    const needs = [...ofTemplates, ...entries].filter(
      ({ type, charge }) => type !== undefined && charge !== undefined,
    );
    const charges = needs.map(({ charge }) => charge);
    const names = Object.keys(chargeNames).filter((name) => charges.includes(chargeNames[name]));
    const ofTypes = filterOf(0, 'instance-type', unique(needs.map(({ type }) => type!)));
    const filter = { ...ofTypes, ...filterOf(1, 'instance-charge-type', names) };
    const answer = needs.length === 0 ? null : ask('DescribeZoneInstanceConfigInfos', filter);
    const rows = answer?.InstanceTypeQuotaSet;
    this.isStockUp = Array.isArray(rows) && !this.#isOfAnother(rows);
    this.#isStockComplete = this.isStockUp;
    if (!this.isStockUp) return;
    this.#stock = [];
    for (const row of rows) {
      const type = read(row, 'InstanceType', isText);
      const charge = chargeNames[read(row, 'InstanceChargeType', isChargeName)];
      const zone = this.zoneOf(row);
      const isOf = (need: { type: string | undefined; charge: string | undefined }) =>
        need.type === type && [need.charge, undefined].includes(charge);
      if (type !== undefined && !needs.some(isOf)) continue;
      const isUnknown = type === undefined || zone === undefined;
      if (isUnknown) this.#isStockComplete = false;
      else
        this.#stock.push({
          type,
          charge,
          zone,
          ...(charge === undefined ? unknownState : stateOf(row)),
        });
    }
    for (const { type, charge, zone, holds } of this.#stock) {
      const isNeeded = needs.some(
        (need) =>
          need.type === type && need.charge === charge && (need.zones?.includes(zone) ?? true),
      );
      if (holds !== undefined && isNeeded) this.#offered.add(`${type} ${charge} ${zone}`);
    }
    if (this.#isStockComplete) {
      this.#complete = [{ stock: this.#stock, needs: this.launches() }, ...this.#complete];
    } else {
      // What it has is not lacking in two complete answers in a row.
      this.#complete[0]?.stock.push(...this.#stock);
    }
  }

  /** The rows of an offer in a zone, or in the region. */
  #rowsOf(type: string | undefined, charge: string | undefined, zone: string, stock = this.#stock) {
    const ofType = stock.filter((row) => row.type === type && (zone === '' || row.zone === zone));
    const own = ofType.filter((row) => row.charge === charge);
    return own.length > 0 ? own : ofType.filter((row) => row.charge === undefined);
  }

  /** Whether the last two complete answers lack what launches needed then, in this zone or in any. */
  #isNotOffered(type: string | undefined, charge: string | undefined, zone: string): boolean {
    const last = this.#complete.slice(0, 2);
    const lack = last.filter(
      ({ stock, needs }) =>
        this.#rowsOf(type, charge, zone, stock).length === 0 &&
        needs.some(
          (need) =>
            need.type === type &&
            need.charge === charge &&
            ['', undefined, zone].includes(need.ownZone),
        ),
    );
    return this.#isStockComplete && lack.length === 2;
  }

  #isOwnZone: Test = (value) => isText(value) && String(value).startsWith(`${this.#config.name}-`);

  zoneOf = (row: Json): string | undefined => read(row, 'Zone', this.#isOwnZone);

  #isOfAnother(rows: Json): boolean {
    const isZone: Test = (value) => isText(value) && value !== '';
    const zones: Json[] = Array.isArray(rows) ? rows.map((row) => read(row, 'Zone', isZone)) : [];
    return zones.some((zone) => zone !== undefined && !this.#isOwnZone(zone));
  }

  /** The zones where a type is sold or was. */
  zonesOf(type: string | undefined, charge: string | undefined): string[] {
    const was = [...this.#offered].map((name) => name.split(' ')[2]!);
    const zones = [...was, ...this.#stock.map(({ zone }) => zone)];
    const isHere = (zone: string) =>
      this.wasOffered(type, charge, zone) || this.#rowsOf(type, charge, zone).length > 0;
    return unique(zones).filter(isHere).toSorted();
  }

  wasOffered(type?: string, charge?: string, zone?: string): boolean {
    return this.#offered.has(`${type} ${charge} ${zone}`);
  }

  /** The templates whose default versions are not judged. */
  notJudged(): string[] {
    return [...this.#templates.keys()].filter((id) => this.#launchOf(id) === 'not judged');
  }

  launches(): Launch[] {
    const entries = this.#config.instance_types.flatMap((entry) =>
      chargesOf(entry).flatMap((charge) => this.#launchesOf(entry, charge)),
    );
    return [...this.#templateLaunches(), ...entries];
  }

  #templateLaunches(): Launch[] {
    const all = [...this.#templates.keys()].map((id) => this.#launchOf(id));
    return all.filter((each) => each !== null && each !== 'not judged');
  }

  /** `null`: nothing is known, since the template was never read. */
  #launchOf(template: string): Launch | 'not judged' | null {
    const { rows = [], isUp = false } = this.#templates.get(template) ?? {};
    if (rows.length === 0) return null;
    const defaults = rows.filter((row) => row?.IsDefaultVersion === true);
    const version = read(defaults[0], 'LaunchTemplateVersion', isCount);
    if (defaults.length !== 1 || version === undefined) return 'not judged';
    const data = defaults[0].LaunchTemplateVersionData;
    const field = (path: string, isRight: Test, absent: Json) =>
      isObject(data) ? read(data, path, isRight, absent) : undefined;
    const type = field('InstanceType', isText, '');
    const charge = chargeNames[field('InstanceChargeType', isChargeName, 'POSTPAID_BY_HOUR')];
    if (type === '' || charge === '') return 'not judged';
    const subnet = field('VirtualPrivateCloud.SubnetId', isText, '');
    const placed = field('Placement.Zone', this.#isOwnZone, '');
    // A subnet that is gone and was never read names no zone.
    const id = String(subnet);
    const ofSubnet = this.zoneOfSubnet.get(id) ?? (this.isSubnetGone(id) ? '' : undefined);
    const zone = placed === '' && subnet !== '' ? ofSubnet : placed;
    const row = this.#listed?.get(template)?.[0];
    const listed = read(row, 'DefaultVersionNumber', isCount) ?? version;
    const isListed = row !== undefined && listed === version;
    const isKnown = this.#config.launch_templates !== 'all' || isListed;
    return {
      ...{ template, version, type, charge, zone, ownZone: placed },
      isVersionKnown: isUp && isKnown,
      isUnreadable: !isObject(data),
      isZoneNamed: zone !== '',
      subnets: subnet === '' ? [] : subnet && [subnet],
      count: field('InstanceCount', isCount, 1),
      ipv6: field('VirtualPrivateCloud.Ipv6AddressCount', isCount, 0),
    };
  }

  #launchesOf(entry: Entry, charge: string): Launch[] {
    const { type, zones: named = this.#config.zones, subnets = [] } = entry;
    const sold = this.zonesOf(type, charge);
    return (named ?? (sold.length > 0 ? sold : [''])).map((zone) => ({
      ...{ template: '', version: null, isVersionKnown: true, type, charge, zone },
      ownZone: named === undefined ? '' : zone,
      ...{ subnets, count: 1, ipv6: 0 },
      // The `zones` of the region name no zone.
      isZoneNamed: entry.zones !== undefined,
    }));
  }

  /** The rows of the quotas of a charge type, by zone. */
  #quotasOf(charge = ''): Found {
    return rowsByKey(this.#quotas?.[quotaSets[charge] ?? ''], this.zoneOf);
  }

  /** Whether the quota of a charge type in a zone is asked for. True where one of them is unknown, and it may be. */
  isQuotaAsked(charge: string | undefined, zone: string | undefined): boolean {
    const { quota_types: asked, zones } = this.#config;
    const types = charge === undefined ? Object.keys(quotaSets) : [charge];
    return types.some((type) => asked.includes(type)) && !(zone && zones?.includes(zone) === false);
  }

  /** The quota of a charge type in a zone, unless it is unknown or unreadable. */
  quota(charge: string | undefined, zone: string | undefined): Json {
    const row = zone && only(this.#quotasOf(charge)?.get(zone));
    const remaining = read(row, 'RemainingQuota', Number.isSafeInteger);
    return remaining <= read(row, 'TotalQuota', isCount) ? row : undefined;
  }

  zonesWithQuota(charge: string | undefined): string[] {
    const zones = [...(this.#quotasOf(charge)?.keys() ?? [])].flatMap((zone) => zone ?? []);
    const isAsked = (zone: string) => this.isQuotaAsked(charge, zone);
    return zones.filter((zone) => isAsked(zone) && this.quota(charge, zone)).toSorted();
  }

  /** The rows of an offer in a zone. `undefined`: unknown. Empty: not offered. */
  offer(type?: string, charge?: string, zone?: string): Offer[] | undefined {
    if (type === undefined || charge === undefined || zone === undefined) return undefined;
    const rows = zone === '' ? [] : this.#rowsOf(type, charge, zone);
    const isKnown = rows.length > 0 || this.#isNotOffered(type, charge, zone);
    return this.isStockUp && isKnown ? rows : undefined;
  }

  /** Whether the stock is unknown, or a row may be of any offer. */
  mayHaveFurtherZones(): boolean {
    return !this.#isStockComplete;
  }

  /** The vCPUs of a type. */
  cpuOf(type: string | undefined): number | undefined {
    const ofType = this.isStockUp ? this.#stock.filter((row) => row.type === type) : [];
    const [cpu, ...others] = unique(ofType.flatMap((row) => row.cpu ?? []));
    return others.length > 0 ? undefined : cpu;
  }

  /** The row of a subnet, unless it is unknown, or its zone or its addresses are unreadable. */
  subnet(id: string): Json {
    const row = only(this.#subnets?.get(id));
    const free = read(row, 'AvailableIpAddressCount', isCount);
    return this.zoneOf(row) === undefined || free === undefined ? undefined : row;
  }

  isSubnetGone(id: string): boolean {
    return this.#saysWhether(id) && this.#lackingSubnets.isGone(id);
  }

  /** Whether the last answer is certain to have the subnet, or to lack it. */
  #saysWhether(id: string): boolean {
    return this.#subnets?.has(undefined) === false || this.#refusedSubnets.includes(id);
  }
}

const unknownState = { holds: undefined, level: undefined, cpu: undefined };

/** What a row of stock says. */
function stateOf(row: Json) {
  const { Status, StatusCategory: level } = row;
  const isSoldOut = Status === 'SOLD_OUT' || level === 'WithoutStock';
  const holds = isSoldOut ? 0 : Status === 'SELL' ? Infinity : undefined;
  return { holds, level, cpu: read(row, 'Cpu', (value) => isCount(value) && value > 0) };
}
