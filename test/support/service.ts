/**
 * The service of the scenarios, written from its documentation alone: it shares no code with the program.
 *
 *     const service = await startService();                  // one account, 'production', that needs no key
 *     const region = service.region('ap-guangzhou');        // with one zone and a quota of each type
 *     region.createTemplate('lt-b8v1kcyq', { versions: [1, 2], default: 1 });
 *     region.setLimit('postpaid', 'ap-guangzhou-3', 300);   // an entry of service.changes, too
 *     region.sets.ImageQuotaSet = null;                     // any odd answer; no entry
 *     const fault = service.fault({ region: 'ap-guangzhou', error: 'InternalError' });
 *     fault.end();
 *     service.requests;                                     // all, with time, account, parameters, outcome
 *
 * An account with keys checks every signature (TC3, HmacSHA1, HmacSHA256). More than 20 requests of a key and
 * an operation in a second are refused, as by the live service. It also plays STS and the metadata service.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

const setNames = {
  postpaid: 'PostPaidQuotaSet',
  prepaid: 'PrePaidQuotaSet',
  spotpaid: 'SpotPaidQuotaSet',
  disaster_recover_group: 'DisasterRecoverGroupQuotaSet',
  image: 'ImageQuotaSet',
};
export type QuotaType = keyof typeof setNames;
type Row = Record<string, unknown>;
/** A zone such as `ap-guangzhou-3`; `null` for what belongs to the whole region. */
type Zone = string | null;

/** One change that the service made. What a daemon counts is compared with them. */
export interface ServiceChange {
  readonly kind: 'limit' | 'used' | 'default' | 'version' | 'template' | 'zone';
  readonly account: string;
  readonly region: string;
  /** `TYPE/ZONE`, `TYPE`, a zone or the ID of a template. */
  readonly what: string;
  readonly from: number | null;
  readonly to: number | null;
}

type Note = (change: Omit<ServiceChange, 'account' | 'region'>) => void;

interface Template {
  name: string;
  versions: number[];
  /** The versions that say that they are the default: one, unless a scenario is about oddness. */
  defaults: number[];
}

/**
 * A region of an account. Its methods change it, and enter that into the service's list of changes. Those that return
 * the region can follow each other.
 */
export class Region {
  /** As they are sent. A scenario may replace or delete them. */
  sets: Record<string, Row[] | null>;
  readonly templates = new Map<string, Template>();
  readonly name: string;
  readonly #note: Note;

  constructor(name: string, zones: readonly string[], note: Note) {
    this.name = name;
    this.#note = note;
    const rows = (make: (place: { Zone: string }) => Row) => zones.map((Zone) => make({ Zone }));
    const figures = (used: number, limit: number) => ({
      UsedQuota: used,
      RemainingQuota: limit - used,
      TotalQuota: limit,
    });
    this.sets = {
      PostPaidQuotaSet: rows((place) => ({ ...figures(40, 200), ...place })),
      PrePaidQuotaSet: rows((place) => ({ ...figures(10, 100), OnceQuota: 300, ...place })),
      SpotPaidQuotaSet: rows((place) => ({ ...figures(60, 240), ...place })),
      DisasterRecoverGroupQuotaSet: [
        {
          CvmInRackGroupQuota: 30,
          GroupQuota: 10,
          CvmInHostGroupQuota: 50,
          CurrentNum: 3,
          CvmInSwitchGroupQuota: 20,
        },
      ],
      ImageQuotaSet: [{ UsedQuota: 4, TotalQuota: 10 }],
    };
  }

  /** The row of a quota as it is sent. */
  row(type: QuotaType, zone: Zone): Row {
    const row = (this.sets[setNames[type]] ?? []).find((each) => (each.Zone ?? null) === zone);
    if (row === undefined) throw new Error(`${this.name} has no row of ${type} ${zone ?? ''}`);
    return row;
  }

  setLimit(type: QuotaType, zone: Zone, limit: number): this {
    const row = this.row(type, zone);
    const [total, used] =
      type === 'disaster_recover_group'
        ? ['GroupQuota', 'CurrentNum']
        : ['TotalQuota', 'UsedQuota'];
    const from = row[total] as number;
    row[total] = limit;
    if ('RemainingQuota' in row) row.RemainingQuota = limit - (row[used] as number);
    this.#note({ kind: 'limit', what: named(type, zone), from, to: limit });
    return this;
  }

  setUsed(type: QuotaType, zone: Zone, used: number): this {
    const row = this.row(type, zone);
    const field = type === 'disaster_recover_group' ? 'CurrentNum' : 'UsedQuota';
    const from = row[field] as number;
    row[field] = used;
    if ('RemainingQuota' in row) row.RemainingQuota = (row.TotalQuota as number) - used;
    this.#note({ kind: 'used', what: named(type, zone), from, to: used });
    return this;
  }

  /** Takes the rows of a zone away, and returns what brings them back. */
  removeZone(zone: string): () => void {
    const before = { ...this.sets };
    for (const [name, rows] of Object.entries(this.sets)) {
      this.sets[name] = rows?.filter((row) => row.Zone !== zone) ?? null;
    }
    this.#note({ kind: 'zone', what: zone, from: 1, to: null });
    return () => {
      Object.assign(this.sets, before);
      this.#note({ kind: 'zone', what: zone, from: null, to: 1 });
    };
  }

  /** Adds a zone with the figures of another one. */
  addZone(zone: string, like: string): void {
    for (const rows of Object.values(this.sets)) {
      const row = rows?.find((each) => each.Zone === like);
      if (row !== undefined) rows?.push({ ...row, Zone: zone });
    }
    this.#note({ kind: 'zone', what: zone, from: null, to: 1 });
  }

  createTemplate(
    id: string,
    options: { readonly versions: readonly number[]; readonly default: number; name?: string },
  ): this {
    const { versions, default: version, name = `name-of-${id}` } = options;
    this.templates.set(id, { name, versions: [...versions], defaults: [version] });
    this.#note({ kind: 'template', what: id, from: null, to: version });
    return this;
  }

  deleteTemplate(id: string): this {
    this.templates.delete(id);
    this.#note({ kind: 'template', what: id, from: 1, to: null });
    return this;
  }

  /** Sets the default version of a template. Several, or none, is odd, and possible. */
  setDefault(id: string, ...versions: readonly number[]): this {
    const template = this.template(id);
    const [from = null] = template.defaults;
    template.defaults = [...versions];
    this.#note({ kind: 'default', what: id, from, to: versions[0] ?? null });
    return this;
  }

  createVersion(id: string, version: number): this {
    this.template(id).versions.push(version);
    this.#note({ kind: 'version', what: id, from: null, to: version });
    return this;
  }

  deleteVersion(id: string, version: number): this {
    const template = this.template(id);
    template.versions = template.versions.filter((each) => each !== version);
    template.defaults = template.defaults.filter((each) => each !== version);
    this.#note({ kind: 'version', what: id, from: version, to: null });
    return this;
  }

  template(id: string): Template {
    const template = this.templates.get(id);
    if (template === undefined) throw new Error(`${this.name} has no template ${id}`);
    return template;
  }
}

const named = (type: QuotaType, zone: Zone) => (zone === null ? type : `${type}/${zone}`);

interface Keys {
  readonly secretId: string;
  readonly secretKey: string;
  /** Only of temporary credentials. */
  readonly token?: string;
}

export class Account {
  readonly name: string;
  readonly appId: number;
  /** Empty: no signature is needed. */
  readonly keys: Keys[];
  readonly regions = new Map<string, Region>();
  readonly #changes: ServiceChange[];

  constructor(name: string, appId: number, keys: Keys[], changes: ServiceChange[]) {
    this.name = name;
    this.appId = appId;
    this.keys = keys;
    this.#changes = changes;
  }

  /** A region, which is created with these zones when it is first asked for. */
  region(name: string, { zones = [`${name}-3`] }: { zones?: readonly string[] } = {}): Region {
    const present = this.regions.get(name);
    if (present !== undefined) return present;
    const region = new Region(name, zones, (change) => {
      this.#changes.push({ account: this.name, region: name, ...change });
    });
    this.regions.set(name, region);
    return region;
  }
}

export interface ServiceRequest {
  /** Time of arrival in milliseconds, on the monotonic clock. */
  readonly atMs: number;
  /** Time of departure, where the daemon has the fixture `departures`. */
  readonly departedMs: number;
  readonly action: string;
  readonly region: string;
  readonly account: string;
  /** The SecretId; empty without a signature. */
  readonly key: string;
  readonly signature: 'tc3' | 'hmac-sha256' | 'hmac-sha1' | 'none';
  readonly method: string;
  /** The parameters of the operation, without the common ones. */
  readonly parameters: Readonly<Record<string, string>>;
  /** `pending`, `ok`, a code, or what a fault did. */
  outcome: string;
}

/** What is wrong, and with which requests. What is absent matches everything. */
export interface Fault {
  readonly action?: string;
  readonly region?: string;
  readonly template?: string;
  readonly account?: string;
  /** How many requests it meets. Defaults to all. */
  readonly times?: number;
  /** An error code of the service. */
  readonly error?: string;
  /** Another HTTP status, with HTML. */
  readonly status?: number;
  /** The bytes of the answer. */
  readonly body?: string;
  readonly hangs?: true;
  readonly resets?: true;
  /** Delays the answer, which is otherwise right. */
  readonly delayMs?: number;
  /** Changes the fields of a right answer. */
  readonly edit?: (fields: Row) => void;
}

class ServiceError extends Error {}

export interface Service {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ServiceRequest[];
  readonly changes: readonly ServiceChange[];
  /** Those of DescribeRegions; `null`: the regions of the account. */
  regions: { Region: string; RegionState: string }[] | null;
  /** The most requests of one key and operation in a second. Infinite where a test measures by itself. */
  limitPerSecond: number;
  /** A region of the first account. */
  readonly region: Account['region'];
  /** An account, which is created when it is first asked for. Without keys it is the one of unsigned requests. */
  readonly account: (name: string, ...keys: readonly Keys[]) => Account;
  /** The account that a role of STS belongs to. */
  readonly roles: Map<string, Account>;
  readonly fault: (fault: Fault) => { readonly end: () => void };
  /** Requests that match, in the order of arrival. */
  readonly asked: (match?: Partial<ServiceRequest>) => readonly ServiceRequest[];
  /** Does not listen any more. */
  readonly stop: () => Promise<void>;
}

/** Listens on a free loopback port until the test has finished. The first account has these regions. */
export async function startService(...regions: readonly string[]): Promise<Service> {
  const changes: ServiceChange[] = [];
  const requests: ServiceRequest[] = [];
  const faults = new Set<{ fault: Fault; left: number }>();
  const roles = new Map<string, Account>();
  let sessions = 0;
  const accounts = [new Account('production', 1_250_000_001, [], changes)];
  const server = createServer((incoming, response) => {
    void serve(incoming, response).catch((error: unknown) => {
      response.destroy();
      console.error(error);
    });
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = performance.now();
    const body = await buffer(incoming);
    if (incoming.url?.startsWith('/latest/') === true) {
      metadata(incoming.url, response);
      return;
    }
    const call = readCall(incoming, body);
    const account = accountOf(call);
    const request: ServiceRequest = {
      atMs,
      departedMs: Number(incoming.headers['departed-ms']),
      action: call.action,
      region: call.region,
      account: account?.name ?? '',
      key: call.key,
      signature: call.signature,
      method: incoming.method ?? '',
      parameters: call.parameters,
      outcome: 'pending',
    };
    requests.push(request);
    const fault = faultOf(request);
    if (fault.delayMs !== undefined) await delay(fault.delayMs);
    if (fault.hangs === true) {
      request.outcome = 'hangs';
      return;
    }
    if (fault.resets === true) {
      request.outcome = 'reset';
      incoming.socket.resetAndDestroy();
      return;
    }
    if (fault.status !== undefined || fault.body !== undefined) {
      request.outcome = `status ${fault.status ?? 200}`;
      response.writeHead(fault.status ?? 200, { 'Content-Type': 'text/html' });
      response.end(fault.body ?? '<html><body>Bad Gateway</body></html>');
      return;
    }
    let fields: Row;
    try {
      if (fault.error !== undefined) throw new ServiceError(fault.error);
      verify(call, account, incoming, body);
      if (isTooFast(call, atMs)) throw new ServiceError('RequestLimitExceeded');
      fields = structuredClone(answer(call, account!));
      fault.edit?.(fields);
      request.outcome = 'ok';
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      request.outcome = error.message;
      fields = { Error: { Code: error.message, Message: `as ordered: ${error.message}` } };
    }
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ Response: { ...fields, RequestId: randomUUID() } }));
  }

  function isTooFast({ key, action }: Call, atMs: number): boolean {
    if (service.limitPerSecond === Infinity) return false;
    const isInWindow = (each: ServiceRequest) =>
      each.key === key && each.action === action && each.atMs > atMs - 1000;
    return requests.filter(isInWindow).length > service.limitPerSecond;
  }

  /** The first fault that matches. */
  function faultOf(request: ServiceRequest): Fault {
    for (const each of faults) {
      const { action, region, template, account } = each.fault;
      const matches =
        (action ?? request.action) === request.action &&
        (region ?? request.region) === request.region &&
        (account ?? request.account) === request.account &&
        (template === undefined || request.parameters.LaunchTemplateId === template);
      if (!matches) continue;
      each.left -= 1;
      if (each.left <= 0) faults.delete(each);
      return each.fault;
    }
    return {};
  }

  function accountOf(call: Call): Account | undefined {
    return accounts.find(({ keys }) =>
      call.key === '' ? keys.length === 0 : keys.some(({ secretId }) => secretId === call.key),
    );
  }

  /** Temporary keys of an account. */
  function session(account: Account, seconds: number): Row {
    sessions += 1;
    const n = sessions;
    const keys = { secretId: `temporary-${n}`, secretKey: `temporary-key-${n}`, token: `t-${n}` };
    account.keys.push(keys);
    return {
      Credentials: {
        TmpSecretId: keys.secretId,
        TmpSecretKey: keys.secretKey,
        Token: keys.token,
      },
      ExpiredTime: Math.floor(Date.now() / 1000) + seconds,
      Expiration: new Date(Date.now() + seconds * 1000).toISOString(),
    };
  }

  /** The metadata service: the role of `roles` with the name `bound`. */
  function metadata(path: string, response: ServerResponse): void {
    const account = roles.get('bound');
    const isList = path.endsWith('/security-credentials/');
    response.statusCode = account === undefined ? 404 : 200;
    const { Credentials, ...ends } = account === undefined || isList ? {} : session(account, 7200);
    const text = isList
      ? 'bound'
      : JSON.stringify({ ...(Credentials as Row), ...ends, Code: 'Success' });
    response.end(account === undefined ? 'not found' : text);
  }

  function answer(call: Call, account: Account): Row {
    switch (call.action) {
      case 'AssumeRole':
      case 'AssumeRoleWithWebIdentity': {
        const owner = roles.get(call.parameters.RoleArn ?? '');
        if (owner === undefined) throw new ServiceError('InvalidParameter.RoleNotExist');
        return session(owner, Number(call.parameters.DurationSeconds ?? 7200));
      }
      case 'DescribeRegions': {
        const names = [...account.regions.keys()];
        const all =
          service.regions ?? names.map((Region) => ({ Region, RegionState: 'AVAILABLE' }));
        return { TotalCount: all.length, RegionSet: all };
      }
      case 'DescribeAccountQuota':
        return accountQuota(call, regionOf(call, account), account.appId);
      case 'DescribeLaunchTemplateVersions':
        return templateVersions(call, regionOf(call, account));
      case 'DescribeLaunchTemplates':
        return templates(call, regionOf(call, account));
      case 'DescribeZoneInstanceConfigInfos':
        return stock(call, regionOf(call, account));
      case 'DescribeSubnets':
        return subnets(call, regionOf(call, account));
      default:
        throw new ServiceError('InvalidAction');
    }
  }

  // In a process that is busy for seconds, a poll would meet a connection that ends.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => {
    // Two thousand targets connect at once.
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, resolve);
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  const service: Service = {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    changes,
    regions: null,
    limitPerSecond: 20,
    region: (name, options) => accounts[0]!.region(name, options),
    account: (name, ...keys) => {
      const present = accounts.find((each) => each.name === name);
      if (present !== undefined) return present;
      const appId = 1_250_000_001 + accounts.length;
      const account = new Account(name, appId, [...keys], changes);
      accounts.push(account);
      return account;
    },
    roles,
    fault: (fault) => {
      const entry = { fault, left: fault.times ?? Infinity };
      faults.add(entry);
      return { end: () => void faults.delete(entry) };
    },
    asked: (match = {}) =>
      requests.filter((request) =>
        Object.entries(match).every(
          ([key, value]) => request[key as keyof ServiceRequest] === value,
        ),
      ),
    stop,
  };
  for (const name of regions) service.region(name);
  return service;
}

function regionOf(call: Call, account: Account): Region {
  const region = account.regions.get(call.region);
  if (region === undefined) throw new ServiceError('UnsupportedRegion');
  return region;
}

/** The values of a list such as `Filters.0.Values.1`, by the beginning of their names. */
function listed(parameters: Call['parameters'], beginning: string): string[] {
  return Object.entries(parameters)
    .filter(([name]) => name.startsWith(`${beginning}.`))
    .map(([, value]) => value);
}

function filtersOf({ parameters }: Call): Map<string, string[]> {
  const filters = new Map<string, string[]>();
  for (const [name, value] of Object.entries(parameters)) {
    const [, index] = /^Filters\.(\d+)\.Name$/.exec(name) ?? [];
    if (index !== undefined) filters.set(value, listed(parameters, `Filters.${index}.Values`));
  }
  return filters;
}

function accountQuota(call: Call, region: Region, AppId: number): Row {
  const filters = filtersOf(call);
  for (const name of filters.keys()) {
    if (name !== 'zone' && name !== 'quota-type') throw new ServiceError('InvalidFilter');
  }
  const zones = filters.get('zone');
  const types = filters.get('quota-type');
  const isChosen = (row: Row | null) =>
    zones === undefined || row?.Zone === undefined || zones.includes(row.Zone as string);
  // What is odd is sent as it is.
  const chosen = Object.entries(region.sets)
    .filter(([name]) => types === undefined || types.includes(name))
    .map(([name, rows]) => [name, Array.isArray(rows) ? rows.filter(isChosen) : rows]);
  const AccountQuota: unknown = Object.fromEntries(chosen);
  return { AppId, AccountQuotaOverview: { Region: region.name, AccountQuota } };
}

function page<T>(call: Call, rows: readonly T[]): T[] {
  const offset = Number(call.parameters.Offset ?? 0);
  const limit = Number(call.parameters.Limit ?? 20);
  if (!(limit >= 1 && limit <= 100)) throw new ServiceError('InvalidParameterValue.Range');
  return rows.slice(offset, offset + limit);
}

function templateVersions(call: Call, region: Region): Row {
  const { parameters } = call;
  const id = parameters.LaunchTemplateId;
  if (id === undefined) throw new ServiceError('MissingParameter');
  const template = region.templates.get(id);
  if (template === undefined) {
    throw new ServiceError('InvalidParameterValue.LaunchTemplateIdNotExisted');
  }
  const wanted = listed(parameters, 'LaunchTemplateVersions').map(Number);
  const least = Number(parameters.MinVersion ?? 0);
  const most = Number(parameters.MaxVersion ?? 30);
  const rows = template.versions
    .filter((version) => (wanted.length > 0 ? wanted.includes(version) : version <= most))
    .filter((version) => wanted.length > 0 || version >= least)
    .filter(
      (version) => parameters.DefaultVersion !== 'true' || template.defaults.includes(version),
    )
    .sort((one, other) => one - other)
    .map((version) => ({
      LaunchTemplateVersion: version,
      LaunchTemplateVersionData: {
        InstanceCount: 1,
        Placement: { ProjectId: 0, Zone: `${region.name}-3` },
        ImageId: `img-${String(version).padStart(8, '0')}`,
        InstanceType: 'S5.LARGE8',
        InstanceChargeType: 'POSTPAID_BY_HOUR',
        VirtualPrivateCloud: { VpcId: 'vpc-dcteo7jd', SubnetId: 'subnet-he88kvqu' },
        UserData: 'IyEvYmluL3NoCg==',
      },
      CreationTime: '2026-01-02T03:04:05Z',
      LaunchTemplateId: id,
      IsDefaultVersion: template.defaults.includes(version),
      LaunchTemplateVersionDescription: '',
      CreatedBy: '100000000001',
    }));
  return { TotalCount: rows.length, LaunchTemplateVersionSet: page(call, rows) };
}

/** Every type is sold in the first zone, by each charge type that is asked for. */
function stock(call: Call, region: Region): Row {
  const filters = filtersOf(call);
  const rows = (filters.get('instance-type') ?? []).flatMap((InstanceType) =>
    (filters.get('instance-charge-type') ?? []).map((InstanceChargeType) => ({
      Zone: `${region.name}-3`,
      InstanceType,
      InstanceChargeType,
      Status: 'SELL',
      StatusCategory: 'EnoughStock',
      SoldOutReason: '',
      Cpu: 2,
      Memory: 8,
    })),
  );
  return { InstanceTypeQuotaSet: rows };
}

/** Every subnet exists, and has 200 free addresses. */
function subnets(call: Call, region: Region): Row {
  const rows = listed(call.parameters, 'SubnetIds').map((SubnetId) => ({
    SubnetId,
    Zone: `${region.name}-3`,
    AvailableIpAddressCount: 200,
    TotalIpAddressCount: 253,
  }));
  return { TotalCount: rows.length, SubnetSet: rows };
}

function templates(call: Call, region: Region): Row {
  const wanted = listed(call.parameters, 'LaunchTemplateIds');
  const names = filtersOf(call).get('LaunchTemplateName');
  const rows = [...region.templates]
    .filter(([id]) => wanted.length === 0 || wanted.includes(id))
    .filter(([, { name }]) => names === undefined || names.includes(name))
    .map(([id, { name, versions, defaults }]) => ({
      LaunchTemplateId: id,
      LaunchTemplateName: name,
      DefaultVersionNumber: defaults[0] ?? null,
      LatestVersionNumber: Math.max(0, ...versions),
      LaunchTemplateVersionCount: versions.length,
      CreatedBy: '100000000001',
      CreationTime: '2026-01-02T03:04:05Z',
    }));
  return { TotalCount: rows.length, LaunchTemplateSet: page(call, rows) };
}

interface Call {
  readonly action: string;
  readonly region: string;
  readonly key: string;
  readonly signature: ServiceRequest['signature'];
  readonly parameters: Readonly<Record<string, string>>;
  /** Everything of the query string, for signatures of the first version. */
  readonly query: URLSearchParams;
}

const common = new Set(
  'Action Version Region Timestamp Nonce SecretId Signature SignatureMethod Token Language RequestClient'.split(
    ' ',
  ),
);

function readCall(incoming: IncomingMessage, body: Buffer): Call {
  const { searchParams: query } = new URL(incoming.url ?? '/', 'http://service');
  const header = (name: string) => String(incoming.headers[name] ?? '');
  const authorization = header('authorization');
  const isTc3 = authorization.startsWith('TC3-');
  const parameters: Record<string, string> = {};
  for (const [name, value] of query) if (!common.has(name)) parameters[name] = value;
  if (body.length > 0) {
    const fields = JSON.parse(body.toString()) as Record<string, unknown>;
    for (const [name, value] of Object.entries(fields)) parameters[name] = String(value);
  }
  const v1 = query.get('SignatureMethod') === 'HmacSHA256' ? 'hmac-sha256' : 'hmac-sha1';
  const [, credential = ''] = /Credential=([^/]+)\//.exec(authorization) ?? [];
  return {
    action: query.get('Action') ?? header('x-tc-action'),
    region: query.get('Region') ?? header('x-tc-region'),
    key: isTc3 ? credential : (query.get('SecretId') ?? ''),
    signature: isTc3 ? 'tc3' : query.has('Signature') ? v1 : 'none',
    parameters,
    query,
  };
}

const hmac = (key: string | Buffer, text: string, algorithm = 'sha256') =>
  createHmac(algorithm, key).update(text).digest();
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

/** Section 2 of the facts about the service. */
function verify(
  call: Call,
  account: Account | undefined,
  incoming: IncomingMessage,
  body: Buffer,
): void {
  const { headers, method = '', url = '/' } = incoming;
  const skips = headers.authorization === 'SKIP' && call.action.startsWith('AssumeRoleWith');
  if (skips) return;
  if (account === undefined) {
    const isSigned = call.signature !== 'none';
    throw new ServiceError(isSigned ? 'AuthFailure.SecretIdNotFound' : 'MissingParameter');
  }
  const keys = account.keys.find(({ secretId }) => secretId === call.key);
  if (keys === undefined) return;
  const isTc3 = call.signature === 'tc3';
  const token = isTc3 ? headers['x-tc-token'] : (call.query.get('Token') ?? undefined);
  if (keys.token !== token) throw new ServiceError('AuthFailure.TokenFailure');
  const timestamp = Number(isTc3 ? headers['x-tc-timestamp'] : call.query.get('Timestamp'));
  if (!(Math.abs(Date.now() / 1000 - timestamp) <= 300)) {
    throw new ServiceError('AuthFailure.SignatureExpire');
  }
  const right = isTc3 ? tc3Signature() : v1Signature();
  const sent = isTc3
    ? /Signature=(\w+)$/.exec(headers.authorization ?? '')?.[1]
    : call.query.get('Signature');
  if (sent !== right) throw new ServiceError('AuthFailure.SignatureFailure');

  function tc3Signature(): string {
    const [, date = '', product = '', names = ''] =
      /Credential=[^/]+\/([^/]+)\/([^/]+)\/tc3_request, SignedHeaders=([^,]+),/.exec(
        headers.authorization ?? '',
      ) ?? [];
    const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
    const [, queryString = ''] = url.split('?');
    const lower = signed.map((line) => line.toLowerCase()).join('');
    const canonical = [method, '/', queryString, lower, names, sha256(body)].join('\n');
    const scope = `${date}/${product}/tc3_request`;
    const toSign = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256(canonical)}`;
    const key = hmac(hmac(hmac(`TC3${keys!.secretKey}`, date), product), 'tc3_request');
    return hmac(key, toSign).toString('hex');
  }

  function v1Signature(): string {
    const joined = [...call.query]
      .filter(([name]) => name !== 'Signature')
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => `${name}=${value}`)
      .join('&');
    const algorithm = call.signature === 'hmac-sha256' ? 'sha256' : 'sha1';
    const text = `${method}${headers.host ?? ''}/?${joined}`;
    return hmac(keys!.secretKey, text, algorithm).toString('base64');
  }
}
