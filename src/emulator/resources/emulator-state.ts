/**
 * The state of the emulated service. The timeline, the control API and code all change it through the
 * same methods; each change that a client can notice is logged in {@link EmulatorState.changes}.
 */
import { BoundedLog } from './bounded-log.ts';
import type { Clock } from '../time/clock.ts';
import type { AccountScenario, TemplateScenario } from './schema.ts';
import type { VersionData } from './version-data.ts';
import { buildAccounts, buildTemplate, buildVersion, buildZone } from './build.ts';
import { StateError, within } from './state-error.ts';
import type {
  Account,
  Quota,
  QuotaType,
  Region,
  RowOverrides,
  StateChange,
  Template,
} from './model.ts';

const keptChanges = 100_000;

export interface RegionPlace {
  /** The first account when absent. */
  readonly account?: string | undefined;
  readonly region: string;
}

export interface QuotaPlace extends RegionPlace {
  /** For the quota types that are counted by zone, and only for them. */
  readonly zone?: string | undefined;
  readonly quotaType: QuotaType;
}

export interface TemplatePlace extends RegionPlace {
  readonly templateId: string;
}

export type ZoneQuotas = Omit<Parameters<typeof buildZone>[1], 'name'>;

/** Every method throws {@link StateError} for what does not exist or is not allowed. */
export class EmulatorState {
  /** The latest 100,000, oldest first. */
  readonly changes = new BoundedLog<StateChange>(keptChanges);
  readonly #clock: Clock;
  #accounts = new Map<string, Account>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Forgets everything, the changes too, and begins with `accounts`. Parts that are wrong are left out.
   *
   * @returns everything that is wrong
   */
  load(accounts: readonly AccountScenario[], atMs: number = this.#clock.now()): StateError[] {
    const errors: StateError[] = [];
    const report = (error: StateError) => {
      errors.push(error);
    };
    this.#accounts = buildAccounts(accounts, { atMs, report });
    this.changes.clear();
    return errors;
  }

  /** A state that can be changed without changing this one; without the changes so far. */
  copy(): EmulatorState {
    const copy = new EmulatorState(this.#clock);
    copy.#accounts = structuredClone(this.#accounts);
    return copy;
  }

  get accounts(): readonly Account[] {
    return [...this.#accounts.values()];
  }

  /** @param name the first account when absent */
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
   * @returns its number: the given one, else one more than the highest number ever given
   */
  createVersion(
    change: TemplatePlace & {
      readonly version?: number | undefined;
      readonly description?: string | null;
      readonly data?: VersionData | undefined;
    } & Partial<RowOverrides>,
    atMs = this.#clock.now(),
  ): number {
    const template = this.template(change);
    const { templateId, version = template.highestVersion + 1 } = change;
    if (version <= template.highestVersion) {
      throw new StateError(['version'], `must be more than ${template.highestVersion}`);
    }
    const { description = '', data, omit = [], fields = {} } = change;
    const created = { version, description, data, omit: omit === 'all' ? omit : [...omit], fields };
    const context = { defaultZone: defaultZone(this.region(change)), atMs };
    template.versions.set(version, buildVersion(created, context));
    template.highestVersion = version;
    this.#log(change, atMs, { kind: 'version-created', templateId, newValue: version });
    return version;
  }

  /** Deletes a version other than the default one. */
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

  createTemplate(change: RegionPlace & TemplateScenario, atMs = this.#clock.now()): void {
    const region = this.region(change);
    if (region.templates.has(change.id)) {
      throw new StateError(['template_id'], `${region.name} has ${change.id} already`);
    }
    const context = { defaultZone: defaultZone(region), atMs };
    region.templates.set(change.id, buildTemplate(change, context));
    this.#log(change, atMs, { kind: 'template-created', templateId: change.id });
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
    const zone = within(['zone'], () => buildZone(region.name, { ...change, name: change.zone }));
    region.zones.set(zone.name, zone);
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

function defaultZone(region: Region): string {
  return region.zones.keys().next().value ?? `${region.name}-1`;
}
