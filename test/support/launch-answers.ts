/**
 * What the answers of the service say of launches, read for an own judge, from docs/launches.md and from nothing of
 * `src/`. `undefined` is unknown everywhere: not read, or not readable.
 */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

/** The answer that the service gives now. One that fails has `Error`, and nothing else that is read. */
export type Ask = (operation: string, parameters?: object) => Json;

export interface RegionConfig {
  name: string;
  zones?: string[];
  launch_templates: string[] | 'all';
  scaling_groups?: string[];
  instance_types: { type: string; zones?: string[]; charge_types?: string[]; subnets?: string[] }[];
  /** Of its account. */
  quota_types: string[];
  overrides: Readonly<Record<string, Json>>[];
}

/** A cloud disk whose type is set. */
export interface Disk {
  type: string;
  usage: string;
}

/** What an option needs in a zone. */
export interface Needs {
  type: string | undefined;
  charge: string | undefined;
  disks: Disk[] | undefined;
}

/** What would be started. */
export type Launch = ReturnType<LaunchAnswers['launches']>[number];

/** A scaling group with what it starts. */
export type Group = ReturnType<LaunchAnswers['groups']>[number];

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
const isBoolean: Test = (value) => typeof value === 'boolean';
const isShare: Test = (value) => isCount(value) && value <= 100;
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

const textAt = (row: Json, path: string, absent?: string): string | undefined =>
  read(row, path, isText, absent);
const countAt = (row: Json, path: string, absent?: number): number | undefined =>
  read(row, path, isCount, absent);

const unique = <T>(values: readonly T[]) => [...new Set(values)];

/** Whether it is a list in which each is right. */
const isListOf =
  (isRight: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(isRight);

/** The cloud disks of a version or a configuration. */
function disksIn(data: Json): Disk[] | undefined {
  const system = read(data, 'SystemDisk', isObject, {});
  const others: Json[] | undefined = read(data, 'DataDisks', isListOf(isObject), []);
  if (!isObject(data) || system === undefined || others === undefined) return undefined;
  const typeOf = (disk: Json): string | undefined => read(disk, 'DiskType', isText, '');
  const all = [
    { type: typeOf(system), usage: 'SYSTEM_DISK' },
    ...others.map((disk) => ({ type: typeOf(disk), usage: 'DATA_DISK' })),
  ];
  const isRead = all.every(({ type }) => /^((CLOUD|LOCAL)_.*)?$/.test(type ?? '?'));
  const cloud = all.flatMap(({ type = '', usage }) =>
    type.startsWith('CLOUD_') ? { type, usage } : [],
  );
  return isRead ? cloud : undefined;
}

const placementGroupsIn = (data: Json): string[] | undefined =>
  isObject(data) ? read(data, 'DisasterRecoverGroupIds', isListOf(isText), []) : undefined;

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

/** A row about a type or a disk in a zone. */
interface Offer {
  /** What it may be, if it cannot be read wholly. `undefined`: anything. */
  names: string[] | undefined;
  zone: string | undefined;
  /** 0: sold out. Infinity: it sells. */
  holds: number | undefined;
  type?: string | undefined;
  level?: Json;
  cpu?: number | undefined;
}

/** What a launch needs, in the zones that it names itself. `undefined`: in any. */
interface Need {
  name: string;
  zones: string[] | undefined;
}

/** What answers say of the types, or of the disks, that launches need. */
class Offers {
  isUp = false;
  /** Whether there ever was an answer. */
  isRead = false;
  isWhole = false;
  rows: Offer[] = [];
  /** The complete answers, the last one first, with what was needed then. */
  #complete: { rows: Offer[]; needs: Need[] }[] = [];
  /** What was sold, or sold out, in a zone in an answer. */
  readonly offered = new Set<string>();

  /** @param rows of this cycle. `null` without an answer */
  poll(rows: Offer[] | null, needs: Need[]): void {
    this.isUp = rows !== null;
    this.isWhole = this.isUp;
    if (rows === null) return;
    this.isRead = true;
    this.rows = [];
    for (const row of rows) {
      const { holds, names, zone } = row;
      const own = needs.filter(({ name }) => names?.includes(name) ?? true);
      if (own.length === 0 && names !== undefined) continue;
      if (names === undefined || zone === undefined) this.isWhole = false;
      else this.rows.push(row);
      const [name, ...others] = names ?? ['', ''];
      const isThere = own.some(({ zones }) => zones?.includes(zone ?? '') ?? true);
      if (others.length === 0 && zone !== undefined && holds !== undefined && isThere)
        this.offered.add(`${name} ${zone}`);
    }
    if (this.isWhole) this.#complete = [{ rows: this.rows, needs }, ...this.#complete];
    // What it has is not lacking in two complete answers in a row.
    else this.#complete[0]?.rows.push(...this.rows);
  }

  /** The rows of a name in a zone, or with an empty one in the region. */
  rowsOf(name: string, zone: string, rows = this.rows): Offer[] {
    const ofName = rows.filter(
      (row) => row.names?.includes(name) && (zone === '' || row.zone === zone),
    );
    const own = ofName.filter(({ names = [] }) => names.length === 1);
    return own.length > 0 ? own : ofName;
  }

  /** Those that the last answer has. `undefined`: unknown. Empty: not offered, as the last two complete ones lack it. */
  known(name: string, zone: string): Offer[] | undefined {
    const rows = zone === '' ? [] : this.rowsOf(name, zone);
    const lack = this.#complete
      .slice(0, 2)
      .filter(
        (answer) =>
          this.rowsOf(name, zone, answer.rows).length === 0 &&
          answer.needs.some((need) => need.name === name && (need.zones?.includes(zone) ?? true)),
      );
    const isKnown = rows.length > 0 || (this.isWhole && lack.length === 2);
    return this.isUp && isKnown ? rows : undefined;
  }
}

/** What answers say of the subnets, or of the placement groups, that launches need. */
class Resources {
  #rows: Found = null;
  #isWhole = false;
  #refused: string[] = [];
  readonly #lacking = new Lacking();

  /** @param total how many rows the service counts @param askFor asks for one alone */
  poll(
    ids: string[],
    { set, total }: { set: Json; total: Json },
    key: string,
    askFor: (id: string) => Json,
  ): void {
    const rows = rowsByKey(set, (row) => textAt(row, key));
    this.#rows = rows;
    this.#isWhole = rows !== null && !rows.has(undefined) && rows.size >= (total ?? 0);
    // One that the service refuses is lacking, whatever it says of others.
    this.#refused = rows === null ? [] : ids.filter((id) => askFor(id).Error !== undefined);
    const isSaid = (id: string) => this.#saysWhether(id);
    this.#lacking.note(ids, (id) => rows?.has(id) === true, isSaid);
  }

  row = (id: string): Json => only(this.#rows?.get(id));

  isGone = (id: string) => this.#saysWhether(id) && this.#lacking.isGone(id);

  /** Whether the last answer is certain to have it, or to lack it. */
  #saysWhether(id: string): boolean {
    return this.#isWhole || this.#refused.includes(id);
  }
}

/** The name of a type with a charge type, of a disk, and the rows of a table of codes. */
const offerName = ({ charge, type }: Needs) => type && charge && `${type} ${charge}`;
const familyOf = (type: string) => type.split('.')[0]!;
const diskCharge = (charge: string) => (charge === 'prepaid' ? 'PREPAID' : 'POSTPAID_BY_HOUR');
export const diskNames = ({ charge, disks, type }: Needs): string[] | undefined => {
  if (disks === undefined || disks.length === 0) return disks && [];
  if (type === undefined || charge === undefined) return undefined;
  const of = [familyOf(type), diskCharge(charge)];
  return disks.map((disk) => [...of, disk.type, disk.usage].join(' '));
};

interface KnownGroup {
  row: Json;
  /** Whether the last answer lacks it. */
  isLacking: boolean;
}

/** The last answers about a region, and what the earlier ones say of it. */
export class LaunchAnswers {
  readonly #config: RegionConfig;
  readonly #templates = new Map<string, { rows: Json[]; isUp: boolean }>();
  #ask: Ask = () => ({});
  /** The operations that the credentials are not allowed, and whether others are. */
  #refused = new Set<string>();
  #isAnswered = false;
  #listed: Found = null;
  #quotas: Json;
  readonly stock = new Offers();
  readonly disks = new Offers();
  readonly subnets = new Resources();
  readonly placementGroups = new Resources();
  /** The last known zones. */
  readonly zoneOfSubnet = new Map<string, string>();
  readonly #lackingTemplates = new Lacking();
  #groups = new Map<string, KnownGroup>();
  #areGroupsUp = false;
  #configurations: Found = null;
  #areConfigurationsUp = false;

  constructor(config: RegionConfig) {
    this.#config = config;
  }

  /** Reads the answers of one cycle. */
  poll(asked: Ask): void {
    this.#refused = new Set();
    this.#isAnswered = false;
    const ask: Ask = (operation, parameters) => {
      const answer = asked(operation, parameters);
      const code = String(answer.Error?.Code);
      if (code.startsWith('UnauthorizedOperation')) this.#refused.add(operation);
      if (answer.Error === undefined) this.#isAnswered = true;
      return answer;
    };
    this.#ask = ask;
    for (const id of this.#templateIds(ask)) {
      const parameters = { LaunchTemplateId: id, Limit: 100 };
      const rows = ask('DescribeLaunchTemplateVersions', parameters).LaunchTemplateVersionSet;
      // A template has a version, so an empty list is no answer.
      const isUp = Array.isArray(rows) && rows.length > 0;
      this.#templates.set(id, { rows: isUp ? rows : (this.#templates.get(id)?.rows ?? []), isUp });
    }
    // What another zone has is not asked for, and harms nothing.
    const { zones } = this.#config;
    const answer = ask('DescribeAccountQuota', zones && filterOf(0, 'zone', zones));
    const quotas = answer.AccountQuotaOverview?.AccountQuota;
    const ofTypes = this.#config.quota_types.map((type) => quotas?.[quotaSets[type] ?? '']);
    this.#quotas = ofTypes.some((set) => this.#isOfAnother(set)) ? null : quotas;
    this.#pollGroups(ask);
    this.#pollResources(ask);
    this.#pollStock(ask);
    this.#pollDisks(ask);
  }

  /** Whether an operation is not asked, for lack of a permission. */
  isDenied = (operation: string) => this.#isAnswered && this.#refused.has(operation);

  #pollGroups(ask: Ask): void {
    const { scaling_groups: ids } = this.#config;
    if (ids?.length === 0) return;
    const answer = ask('DescribeAutoScalingGroups', { Limit: 100 }).AutoScalingGroupSet;
    const rows = rowsByKey(answer, (row) => row.AutoScalingGroupId);
    this.#areGroupsUp = rows !== null;
    if (rows !== null) {
      const kept = [...this.#groups].filter(([id, { isLacking }]) => !rows.has(id) && !isLacking);
      const found = [...rows].filter(([id]) => ids?.includes(id!) ?? true);
      this.#groups = new Map([
        ...found.map(([id, [row]]): [string, KnownGroup] => [id!, { row, isLacking: false }]),
        ...kept.map(([id, { row }]): [string, KnownGroup] => [id, { row, isLacking: true }]),
      ]);
    }
    const wanted = this.#groupRows().filter(({ row }) => row.EnabledStatus !== 'DISABLED');
    if (wanted.length === 0) return;
    const set = ask('DescribeLaunchConfigurations', { Limit: 100 }).LaunchConfigurationSet;
    const configurations = rowsByKey(set, (row) => row.LaunchConfigurationId);
    this.#areConfigurationsUp = configurations !== null;
    const named = wanted.map(({ row }) => row.LaunchConfigurationId);
    this.#configurations =
      configurations === null
        ? this.#configurations
        : new Map([...configurations].filter(([id]) => named.includes(id)));
  }

  /** Of one that an answer lacks, only what it starts is known. */
  #groupRows() {
    return [...this.#groups].map(([id, { isLacking, row }]) => {
      const { LaunchConfigurationId, SubnetIdSet, ZoneSet } = row;
      return { id, row: isLacking ? { LaunchConfigurationId, SubnetIdSet, ZoneSet } : row };
    });
  }

  groups() {
    return this.#groupRows().map(({ id, row }) => {
      const isId: Test = (value) => /^subnet-\w+$/.test(String(value));
      const configuration = this.#configurations?.get(String(row.LaunchConfigurationId))?.[0];
      const isStatus: Test = (value) => ['ENABLED', 'DISABLED'].includes(String(value));
      const enabled: string | undefined = read(row, 'EnabledStatus', isStatus);
      const isEnabled = enabled === undefined ? undefined : enabled === 'ENABLED';
      const max = countAt(row, 'MaxSize');
      const instances = countAt(row, 'InstanceCount');
      const isIdle = isEnabled === false || (instances ?? 0) >= (max ?? Infinity);
      const paid = read(configuration, 'InstanceChargeType', isText, 'POSTPAID_BY_HOUR');
      const isOther = configuration !== undefined && chargeNames[String(paid)] === '';
      const policy = row.InstanceAllocationPolicy;
      const mix = read(row, 'SpotMixedAllocationPolicy', isObject, {});
      const mixed: Record<'isCompensated' | 'base' | 'percentage', Json> = {
        isCompensated: mix && read(mix, 'CompensateWithBaseInstance', isBoolean, true),
        base: read(mix, 'BaseCapacity', isCount),
        percentage: read(mix, 'OnDemandPercentageAboveBaseCapacity', isShare),
      };
      const isNonEmpty: Test = (value) => isListOf(isText)(value) && value.length > 0;
      const types: string[] | undefined = read(configuration, 'InstanceTypes', isNonEmpty, []);
      const first = textAt(configuration, 'InstanceType');
      const disks = read(configuration, 'DiskTypePolicy', isText, 'ORIGINAL');
      const isListed = disks === 'ORIGINAL';
      const places: string[] | undefined = read(row, 'ZoneSet', isListOf(isText), []);
      const zones = places?.every(this.#isOwnZone) ? places : undefined;
      const named: string[] | undefined = read(row, 'SubnetIdSet', isListOf(isId), []);
      const ofConfiguration = configuration && isListed ? disksIn(configuration) : undefined;
      const isPlain = policy === 'LAUNCH_CONFIGURATION';
      return {
        ...{ id, isEnabled, max, instances, desired: countAt(row, 'DesiredCapacity') },
        /** Empty while the answer is not of the present. */
        statuses: this.#areGroupsUp ? this.#statusesOf(row, configuration) : [],
        /** `undefined`: nothing tells whether it mixes charge types; `null`: it does not. */
        mixed: isPlain ? null : policy === 'SPOT_MIXED' ? mixed : undefined,
        types: types?.length === 0 ? [first] : (types ?? [undefined]),
        /** `undefined` also if it mixes them. */
        charge: configuration && isPlain && !isOther ? chargeNames[paid] : undefined,
        disks: configuration && disks === 'AUTOMATIC' ? [] : ofConfiguration,
        placementGroups: placementGroupsIn(configuration),
        ...{ subnets: named, zones },
        /** Why it is not judged: `none` if it starts nothing now. */
        unjudged: this.#areGroupsUp && isIdle ? 'none' : isOther ? 'not judged' : undefined,
      };
    });
  }

  #statusesOf(row: Json, configuration: Json): (string | undefined)[] {
    const present = this.#areConfigurationsUp ? configuration : undefined;
    return [textAt(row, 'AutoScalingGroupStatus'), textAt(present, 'LaunchConfigurationStatus')];
  }

  /** What templates, and groups that are not disabled, need of stock and disks. */
  #needs(): (Needs & Pick<Need, 'zones'>)[] {
    const ofTemplates = this.#templateLaunches().map(({ charge, disks, ownZone, type }) => {
      return { charge, disks, type, zones: ownZone ? [ownZone] : undefined };
    });
    const enabled = this.groups().filter(({ isEnabled }) => isEnabled !== false);
    const ofGroups = enabled.flatMap(({ charge, disks, mixed, subnets, types, zones: places }) => {
      const charges = mixed ? ['postpaid', 'spotpaid'] : [charge];
      const zones = subnets?.length === 0 && places?.length ? places : undefined;
      return charges.flatMap((each) => types.map((type) => ({ type, charge: each, disks, zones })));
    });
    return [...ofTemplates, ...ofGroups];
  }

  #templateIds(ask: Ask): string[] {
    const { launch_templates: configured } = this.#config;
    if (configured !== 'all') return configured;
    const { LaunchTemplateSet } = ask('DescribeLaunchTemplates', { Limit: 100 });
    const list = rowsByKey(LaunchTemplateSet, (row) => textAt(row, 'LaunchTemplateId'));
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

  #pollResources(ask: Ask): void {
    const templates = this.#templateLaunches();
    const groups = this.groups().filter(({ isEnabled }) => isEnabled !== false);
    const all = [...templates, ...this.#config.instance_types, ...groups];
    const ids = unique(all.flatMap(({ subnets }) => subnets ?? []));
    const filter = { ...filterOf(0, 'subnet-id', ids), Limit: '100' };
    const answered = ids.length === 0 ? {} : ask('DescribeSubnets', filter);
    // An absent set is an empty one, if the service counts none.
    const SubnetSet = answered.SubnetSet ?? (answered.TotalCount === 0 ? [] : null);
    const set = this.#isOfAnother(SubnetSet) ? null : SubnetSet;
    this.subnets.poll(ids, { set, total: answered.TotalCount }, 'SubnetId', (id) =>
      ask('DescribeSubnets', { 'SubnetIds.0': id }),
    );
    for (const id of ids) {
      const zone = this.zoneOf(this.subnet(id));
      if (zone !== undefined) this.zoneOfSubnet.set(id, zone);
    }
    const wanted = [...templates, ...groups].flatMap((each) => each.placementGroups ?? []);
    const operation = 'DescribeDisasterRecoverGroups';
    // The service refuses a request with an ID of another form.
    const sent = unique(wanted).filter((id) => id.startsWith('ps-'));
    const named = Object.fromEntries(
      sent.map((id, i) => [`DisasterRecoverGroupIds.${i}`, id] as const),
    );
    const given = sent.length > 0 ? named : { 'DisasterRecoverGroupIds.0': wanted[0] };
    const answer = wanted.length === 0 ? {} : ask(operation, given);
    // Where all have another form, it refuses them all.
    const isMalformed = String(answer.Error?.Code).endsWith('Malformed');
    const groupSet = isMalformed
      ? { set: [], total: 0 }
      : { set: answer.DisasterRecoverGroupSet, total: answer.TotalCount };
    this.placementGroups.poll(unique(wanted), groupSet, 'DisasterRecoverGroupId', (id) =>
      ask(operation, { 'DisasterRecoverGroupIds.0': id }),
    );
  }

  #pollStock(ask: Ask): void {
    const entries = this.#config.instance_types.flatMap((entry) =>
      chargesOf(entry).map((charge) => {
        const { type, zones = this.#config.zones } = entry;
        return { type, charge, zones };
      }),
    );
    const needs = [...this.#needs(), ...entries].flatMap((need) => {
      const name = offerName({ ...need, disks: [] });
      return name === undefined ? [] : { ...need, name };
    });
    const charges = needs.map(({ charge }) => charge);
    const names = Object.keys(chargeNames).filter((name) => charges.includes(chargeNames[name]));
    const ofTypes = filterOf(0, 'instance-type', unique(needs.map(({ type }) => type!)));
    const filter = { ...ofTypes, ...filterOf(1, 'instance-charge-type', names) };
    const answer = needs.length === 0 ? {} : ask('DescribeZoneInstanceConfigInfos', filter);
    const rows: Json = answer.InstanceTypeQuotaSet;
    const isRead = Array.isArray(rows) && !this.#isOfAnother(rows);
    this.stock.poll(isRead ? rows.map((row) => this.#stockRow(row)) : null, needs);
  }

  #stockRow(row: Json): Offer {
    const type = textAt(row, 'InstanceType');
    const charge = chargeNames[read(row, 'InstanceChargeType', isChargeName)];
    const charges = charge === undefined ? Object.keys(quotaSets) : [charge];
    const names = type === undefined ? undefined : charges.map((each) => `${type} ${each}`);
    const state = charge === undefined ? { holds: undefined } : stateOf(row);
    return { names, type, zone: this.zoneOf(row), ...state };
  }

  #pollDisks(ask: Ask): void {
    const needs = this.#needs().flatMap(({ zones, ...need }) =>
      (diskNames(need) ?? []).map((name) => ({ name, zones })),
    );
    const charges = unique(needs.map(({ name }) => name.split(' ')[1]!));
    const answers = charges.map((DiskChargeType): Json => {
      const parameters = { InquiryType: 'INQUIRY_CVM_CONFIG', DiskChargeType };
      return ask('DescribeDiskConfigQuota', parameters).DiskConfigSet;
    });
    const isRead = answers.every((rows) => Array.isArray(rows) && !this.#isOfAnother(rows));
    const fields = ['InstanceFamily', 'DiskChargeType', 'DiskType', 'DiskUsage'];
    const rows = answers.flat().map((row): Offer => {
      const isAvailable = read(row, 'Available', isBoolean);
      return {
        names: [fields.map((field) => read(row, field, isText)).join(' ')],
        zone: this.zoneOf(row),
        holds: isAvailable === undefined ? undefined : isAvailable ? Infinity : 0,
      };
    });
    this.disks.poll(answers.length > 0 && isRead ? rows : null, needs);
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
    const was = [...this.stock.offered].map((name) => name.split(' ')[2]!);
    const zones = [...was, ...this.stock.rows.flatMap(({ zone }) => zone ?? [])];
    const isHere = (zone: string) =>
      this.wasOffered(type, charge, zone) ||
      this.stock.rowsOf(`${type} ${charge}`, zone).length > 0;
    return unique(zones).filter(isHere).toSorted();
  }

  wasOffered(type?: string, charge?: string, zone?: string): boolean {
    return this.stock.offered.has(`${type} ${charge} ${zone}`);
  }

  /** The templates whose default versions are not judged, and the groups. */
  notJudged(): { id: string; unjudged?: string | undefined }[] {
    const templates = [...this.#templates.keys()].filter(
      (id) => this.#launchOf(id) === 'not judged',
    );
    return [
      ...templates.map((id) => ({ id })),
      ...this.groups().filter(({ unjudged }) => unjudged !== undefined),
    ];
  }

  launches() {
    const entries = this.#config.instance_types.flatMap((entry) =>
      chargesOf(entry).flatMap((charge) => this.#launchesOf(entry, charge)),
    );
    return [...this.#templateLaunches(), ...entries];
  }

  #templateLaunches() {
    const all = [...this.#templates.keys()].map((id) => this.#launchOf(id));
    return all.filter((each) => each !== null && each !== 'not judged');
  }

  /** `null`: nothing is known, since the template was never read. */
  #launchOf(template: string) {
    const { rows = [], isUp = false } = this.#templates.get(template) ?? {};
    if (rows.length === 0) return null;
    const defaults = rows.filter((row) => row?.IsDefaultVersion === true);
    const version = countAt(defaults[0], 'LaunchTemplateVersion');
    if (defaults.length !== 1 || version === undefined) return 'not judged';
    const data = defaults[0].LaunchTemplateVersionData;
    const field = (path: string, isRight: Test, absent: Json) =>
      isObject(data) ? read(data, path, isRight, absent) : undefined;
    const type: string | undefined = field('InstanceType', isText, '');
    const charge = chargeNames[field('InstanceChargeType', isChargeName, 'POSTPAID_BY_HOUR')];
    if (type === '' || charge === '') return 'not judged';
    const subnet: string | undefined = field('VirtualPrivateCloud.SubnetId', isText, '');
    const placed: string | undefined = field('Placement.Zone', this.#isOwnZone, '');
    // A subnet that is gone and was never read names no zone.
    const id = String(subnet);
    const ofSubnet = this.zoneOfSubnet.get(id) ?? (this.subnets.isGone(id) ? '' : undefined);
    const zone = placed === '' && subnet !== '' ? ofSubnet : placed;
    const row = this.#listed?.get(template)?.[0];
    const listed = countAt(row, 'DefaultVersionNumber') ?? version;
    const isListed = row !== undefined && listed === version;
    const isKnown = this.#config.launch_templates !== 'all' || isListed;
    const image: string | undefined = field('ImageId', isText, '');
    const count: number | undefined = field('InstanceCount', isCount, 1);
    const ipv6: number | undefined = field('VirtualPrivateCloud.Ipv6AddressCount', isCount, 0);
    return {
      ...{ template, version, type, charge, image, count, ipv6, isVersionKnown: isUp && isKnown },
      /** Empty if nothing names one. */
      zone,
      /** What the version or the configuration says of it. */
      ownZone: placed,
      /** Whether the version, its subnet or the entry names the zone, and not only earlier answers or the region. */
      isZoneNamed: zone !== '',
      disks: disksIn(data),
      placementGroups: placementGroupsIn(data),
      subnets: subnet ? [subnet] : subnet === '' ? [] : undefined,
    };
  }

  #launchesOf(entry: Entry, charge: string) {
    const { type, zones: named = this.#config.zones, subnets = [] } = entry;
    const sold = this.zonesOf(type, charge);
    return (named ?? (sold.length > 0 ? sold : [''])).map((zone) => ({
      ...{ template: '', version: null, image: '', isVersionKnown: true, type, charge, zone },
      ...{ disks: [], placementGroups: [] },
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
  offer(needs: Needs, zone: string | undefined): Offer[] | undefined {
    const name = offerName(needs);
    return name === undefined || zone === undefined ? undefined : this.stock.known(name, zone);
  }

  /** The vCPUs of a type. */
  cpuOf(type: string | undefined): number | undefined {
    const ofType = this.stock.isUp ? this.stock.rows.filter((row) => row.type === type) : [];
    const [cpu, ...others] = unique(ofType.flatMap((row) => row.cpu ?? []));
    return others.length > 0 ? undefined : cpu;
  }

  /** The row of a subnet, unless it is unknown, or its zone or its addresses are unreadable. */
  subnet(id: string): Json {
    const row = this.subnets.row(id);
    const free = countAt(row, 'AvailableIpAddressCount');
    return this.zoneOf(row) === undefined || free === undefined ? undefined : row;
  }

  /** With which code the service refuses the price of a version in a zone now. `null`: it prices it. */
  refusal({ image, template, version }: Launch, zone: string): string | null {
    const answer = this.#ask('InquiryPriceRunInstances', {
      'LaunchTemplate.LaunchTemplateId': template,
      'LaunchTemplate.LaunchTemplateVersion': String(version),
      'Placement.Zone': zone,
      InstanceCount: '1',
      ...(image && { ImageId: image }),
    });
    return isObject(answer.Price) ? null : String(answer.Error?.Code);
  }
}

/** What a row of stock says. */
function stateOf(row: Json) {
  const { Status, StatusCategory: level } = row;
  const isSoldOut = Status === 'SOLD_OUT' || level === 'WithoutStock';
  const holds = isSoldOut ? 0 : Status === 'SELL' ? Infinity : undefined;
  return { holds, level, cpu: read(row, 'Cpu', (value) => isCount(value) && value > 0) };
}
