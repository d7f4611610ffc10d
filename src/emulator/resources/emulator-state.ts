/**
 * The state of the emulated service. Timeline, control API and code change it with the same methods. Each
 * change that a client can notice is logged in {@link EmulatorState.changes}.
 */
import { BoundedLog } from './bounded-log.ts';
import type { Clock } from '../time/clock.ts';
import { createAccount, type Account, type AccountContent } from './accounts.ts';
import { zoneOf, type Quota, type QuotaType, type ZoneQuotas } from './quotas.ts';
import { defaultZone, isZoneOf, type Region } from './regions.ts';
import type { StateChange } from './state-change.ts';
import { StateError } from './state-error.ts';
import {
  createTemplate,
  createVersion,
  defaultProblem,
  type Template,
  type TemplateContent,
  type VersionContent,
} from './templates.ts';

const keptChanges = 100_000;

export interface RegionPlace {
  /** Defaults to the first account. */
  readonly account?: string | undefined;
  readonly region: string;
}

export interface QuotaPlace extends RegionPlace {
  /** Required for the quota types that are counted by zone. Not allowed for others. */
  readonly zone?: string | undefined;
  readonly quotaType: QuotaType;
}

export interface TemplatePlace extends RegionPlace {
  readonly templateId: string;
}

/** Every method throws {@link StateError} if an object does not exist or the change is not allowed. */
export class EmulatorState {
  /** The latest 100,000 changes, oldest first. */
  readonly changes = new BoundedLog<StateChange>(keptChanges);
  readonly #clock: Clock;
  #accounts = new Map<string, Account>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces the state by new accounts, and empties the list of changes. */
  load(accounts: ReadonlyMap<string, AccountContent>, atMs: number = this.#clock.now()): void {
    this.#accounts = new Map(
      [...accounts].map(([name, account]) => [name, createAccount(account, atMs)]),
    );
    this.changes.clear();
  }

  /** A copy that can be changed independently. The copy has no changes yet. */
  copy(): EmulatorState {
    const copy = new EmulatorState(this.#clock);
    copy.#accounts = structuredClone(this.#accounts);
    return copy;
  }

  get accounts(): readonly Account[] {
    return [...this.#accounts.values()];
  }

  /** @param name defaults to the first account */
  account(name?: string): Account {
    const account =
      name === undefined ? this.#accounts.values().next().value : this.#accounts.get(name);
    if (account === undefined) throw new StateError(['account'], `no account ${name ?? 'at all'}`);
    return account;
  }

  region(place: RegionPlace): Region {
    const account = this.account(place.account);
    const region = account.regions.get(place.region);
    if (region !== undefined) return region;
    throw new StateError(['region'], `account ${account.name} has no region ${place.region}`);
  }

  quota(place: QuotaPlace): Quota {
    const region = this.region(place);
    const quota = quotaOf(region, place);
    if (quota !== null) return quota;
    throw new StateError(
      ['quota_type'],
      `${place.zone ?? region.name} has no ${place.quotaType} quota`,
    );
  }

  template(place: TemplatePlace): Template {
    const template = this.region(place).templates.get(place.templateId);
    if (template !== undefined) return template;
    throw new StateError(['template_id'], `${place.region} has no template ${place.templateId}`);
  }

  setUsed(change: QuotaPlace & { readonly used: number }): void {
    this.quota(change).used = change.used;
  }

  setLimit(change: QuotaPlace & { readonly limit: number }, atMs = this.#clock.now()): void {
    const quota = this.quota(change);
    const oldValue = quota.limit;
    if (change.limit === oldValue) return;
    quota.limit = change.limit;
    this.#log(change, atMs, {
      kind: change.limit > oldValue ? 'quota-limit-raised' : 'quota-limit-lowered',
      zone: change.zone ?? null,
      quotaType: change.quotaType,
      oldValue,
      newValue: change.limit,
    });
  }

  /** Sets the used figure of every prepaid quota to 0, as the service does when a month begins. */
  monthTurn(account?: string): void {
    for (const region of this.account(account).regions.values()) {
      for (const zone of region.zones.values()) {
        if (zone.quotas.prepaid !== null) zone.quotas.prepaid.used = 0;
      }
    }
  }

  setDefaultVersion(
    change: TemplatePlace & { readonly version: number | 'latest' },
    atMs = this.#clock.now(),
  ): void {
    const template = this.template(change);
    const newValue = existingVersion(template, change.version);
    const oldValue = template.defaultVersion;
    if (newValue === oldValue) return;
    template.defaultVersion = newValue;
    const { templateId } = change;
    this.#log(change, atMs, { kind: 'default-version-changed', templateId, oldValue, newValue });
  }

  /**
   * Adds a version.
   *
   * @returns its number: the given one, or one more than the highest number that was ever used
   */
  createVersion(
    change: TemplatePlace &
      Omit<VersionContent, 'version'> & { readonly version?: number | undefined },
    atMs = this.#clock.now(),
  ): number {
    const template = this.template(change);
    const { templateId, version = template.highestVersion + 1 } = change;
    if (version <= template.highestVersion) {
      throw new StateError(['version'], `must be more than ${template.highestVersion}`);
    }
    const creation = { defaultZone: defaultZone(this.region(change)), atMs };
    template.versions.set(version, createVersion({ ...change, version }, creation));
    template.highestVersion = version;
    this.#log(change, atMs, { kind: 'version-created', templateId, newValue: version });
    return version;
  }

  /** Deletes a version. The default version cannot be deleted. */
  deleteVersion(
    change: TemplatePlace & { readonly version: number | 'latest' },
    atMs = this.#clock.now(),
  ): void {
    const template = this.template(change);
    const version = existingVersion(template, change.version);
    if (version === template.defaultVersion) {
      throw new StateError(['version'], `version ${version} is the default version`);
    }
    template.versions.delete(version);
    const { templateId } = change;
    this.#log(change, atMs, { kind: 'version-deleted', templateId, oldValue: version });
  }

  createTemplate(
    change: TemplatePlace & Omit<TemplateContent, 'id'>,
    atMs = this.#clock.now(),
  ): void {
    const region = this.region(change);
    const { templateId: id } = change;
    if (region.templates.has(id)) {
      throw new StateError(['template_id'], `${region.name} has ${id} already`);
    }
    const content = { ...change, id };
    const problem = defaultProblem(content);
    if (problem !== null) throw new StateError(['default_version'], problem);
    const creation = { defaultZone: defaultZone(region), atMs };
    region.templates.set(id, createTemplate(content, creation));
    this.#log(change, atMs, { kind: 'template-created', templateId: id });
  }

  deleteTemplate(place: TemplatePlace, atMs = this.#clock.now()): void {
    this.template(place);
    this.region(place).templates.delete(place.templateId);
    this.#log(place, atMs, { kind: 'template-deleted', templateId: place.templateId });
  }

  addZone(
    change: RegionPlace & { readonly zone: string } & ZoneQuotas,
    atMs = this.#clock.now(),
  ): void {
    const region = this.region(change);
    if (region.zones.has(change.zone)) {
      throw new StateError(['zone'], `${region.name} has ${change.zone} already`);
    }
    if (!isZoneOf(change.zone, region.name)) {
      throw new StateError(['zone'], `${change.zone} is not a zone of ${region.name}`);
    }
    region.zones.set(change.zone, zoneOf({ ...change, name: change.zone, state: 'AVAILABLE' }));
    this.#log(change, atMs, { kind: 'zone-appeared', zone: change.zone });
  }

  removeZone(change: RegionPlace & { readonly zone: string }, atMs = this.#clock.now()): void {
    if (!this.region(change).zones.delete(change.zone)) {
      throw new StateError(['zone'], `${change.region} has no zone ${change.zone}`);
    }
    this.#log(change, atMs, { kind: 'zone-disappeared', zone: change.zone });
  }

  #log(
    place: RegionPlace,
    atMs: number,
    change: Pick<StateChange, 'kind'> & Partial<StateChange>,
  ): void {
    this.changes.add({
      atMs,
      account: this.account(place.account).name,
      region: place.region,
      zone: null,
      quotaType: null,
      templateId: null,
      oldValue: null,
      newValue: null,
      ...change,
    });
  }
}

function quotaOf(region: Region, { zone: zoneName, quotaType }: QuotaPlace): Quota | null {
  if (quotaType === 'image' || quotaType === 'disaster_recover_group') {
    if (zoneName === undefined) return region.quotas[quotaType];
    throw new StateError(['zone'], `${quotaType} is a quota of the whole region`);
  }
  if (zoneName === undefined) throw new StateError(['zone'], `is required for ${quotaType}`);
  const zone = region.zones.get(zoneName);
  if (zone === undefined) throw new StateError(['zone'], `${region.name} has no zone ${zoneName}`);
  return zone.quotas[quotaType];
}

function existingVersion(template: Template, version: number | 'latest'): number {
  if (version === 'latest') return Math.max(...template.versions.keys());
  if (template.versions.has(version)) return version;
  throw new StateError(['version'], `${template.id} has no version ${version}`);
}
